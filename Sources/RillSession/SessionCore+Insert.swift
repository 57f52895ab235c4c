import RillCore
import RillRTP
import RillReceive
import RillState

extension SessionCore {
    /// Takes a datagram that came from the other side; poll afterwards.
    @discardableResult
    mutating func insert(_ datagram: Span<UInt8>, at now: MediaTime) -> SessionInsertResult {
        begin(at: now)
        let kind = DatagramKind(of: datagram)
        guard !hasLeft, kind == .rtp || kind == .rtcp else { return .other(kind) }
        counts.packetsReceived += 1
        counts.bytesReceived += datagram.count
        if kind == .rtcp {
            take(compound: datagram, at: now)
            return .feedback
        }
        guard let ssrc = SSRC(ofRTP: datagram) else {
            return refuse(.truncated(needed: RTPHeader.fixedByteCount, available: datagram.count))
        }
        if let place = theirSources[ssrc], let stream = receiving[place] {
            return insert(datagram, into: stream, at: now)
        }
        return insert(datagram, of: ssrc, at: now)
    }

    private mutating func refuse(_ error: RTPError) -> SessionInsertResult {
        counts.malformedPackets += 1
        return .malformed(error)
    }

    @inline(__always)
    private mutating func insert(
        _ datagram: Span<UInt8>, into stream: ReceivingStream, at now: MediaTime
    ) -> SessionInsertResult {
        noteArrival(at: now)
        let (result, isFirst, wakeTime) = stream.insert(datagram, at: now)
        if isFirst { noteFirstPacket(at: now) }
        note(wakeTime, of: stream)
        if stream.attention.isWatchful { noteInSilence(datagram, of: stream, at: now) }
        return .media(of: stream.id, result)
    }

    /// A stream wants to be polled then.
    @inline(__always)
    mutating func note(_ time: MediaTime, of stream: ReceivingStream) {
        wakeTimes[Int(stream.id.place.index)] = time
        wakeTime = min(wakeTime, time)
    }

    /// A packet has come from the other side.
    @inline(__always)
    mutating func noteArrival(at now: MediaTime) {
        if let event = peer.noteArrival(at: now) { events.append(event) }
        wakeTime = min(wakeTime, peer.wakeTime)
    }

    /// The first report leaves soon after a stream's first packet: the sender's first one, which follows its first frame, is then
    /// there to be answered.
    private mutating func noteFirstPacket(at now: MediaTime) {
        reports.require(by: now + min(SessionCore.firstReportDelay, settings.reportInterval))
        wakeTime = min(wakeTime, reports.next)
    }

    private static var firstReportDelay: MediaDuration { .milliseconds(20) }

    // MARK: Sources that nobody announced

    /// Takes a packet of a source that is not that of a stream that is received, so far.
    private mutating func insert(_ datagram: Span<UInt8>, of ssrc: SSRC, at now: MediaTime) -> SessionInsertResult {
        let packet: RTPPacket
        do throws(RTPError) { packet = try RTPPacket(parsing: datagram) } catch { return refuse(error) }
        guard !ownSources.contains(ssrc) else {
            resolveCollision(of: ssrc, at: now)
            return .ownSource(ssrc)
        }
        guard let claim = claim(of: packet) else {
            counts.packetsOfUnknownSources += 1
            return .unknownSource(ssrc)
        }
        guard accept(claim, of: ssrc, at: now) else {
            counts.packetsOfUnknownSources += 1
            return .contradictory(ssrc)
        }
        avoid(ssrc)
        return insert(datagram, into: claim.stream, at: now)
    }

    /// The stream that a packet says it belongs to.
    private struct Claim {
        var stream: ReceivingStream
        /// It is one of its retransmissions.
        var isRetransmission: Bool
        /// The name that the packet bears.
        var rid: StreamIdentifier?
    }

    /// Finds the one stream that names and payload type of a packet fit.
    private mutating func claim(of packet: borrowing RTPPacket) -> Claim? {
        var found: Claim?
        for index in receiving.indices {
            guard let stream = receiving[index] else { continue }
            let names = PacketNames(of: packet, by: stream.settings.jitterBuffer.headerExtensions)
            guard let claim = stream.claim(names, packet.header.payloadType) else { continue }
            // Fitting two it fits none.
            guard found == nil else { return nil }
            found = Claim(stream: stream, isRetransmission: claim.isRetransmission, rid: names.rid)
        }
        return found
    }

    /// Gives the source to the stream, unless another one has it whose packets are coming.
    private mutating func accept(_ claim: Claim, of ssrc: SSRC, at now: MediaTime) -> Bool {
        let stream = claim.stream
        if claim.isRetransmission {
            guard stream.receiver != nil, stream.retransmissionSSRC == nil else { return false }
            stream.learn(retransmissions: ssrc)
        } else {
            let old = stream.ssrc
            if let arrival = stream.lastArrival, stream.end == nil, now - arrival < SessionCore.handoverSilence {
                return false
            }
            theirSources.removeAll(of: stream.id.place)
            stream.change(to: ssrc, roundTripTime: roundTrip.statistics.roundTripTime, at: now)
            arePausesDue = arePausesDue || stream.pauses.isWaiting
            takeEarlyReport(of: ssrc, for: stream)
            if let old { events.append(.sourceChanged(of: stream.id, from: old, to: ssrc)) }
            if let rid = claim.rid, rid != stream.name {
                stream.name = rid
                events.append(.layerChanged(of: stream.id, rid))
            }
        }
        theirSources.set(ssrc, to: stream.id.place)
        return true
    }

    /// What a source said before it was known to be that of the stream.
    mutating func takeEarlyReport(of ssrc: SSRC, for stream: ReceivingStream) {
        guard let clock = earlyReports.take(ssrc) else { return }
        stream.clock = clock
        let report = SenderReport(
            ssrc: ssrc, ntpTimestamp: clock.ntpTimestamp, rtpTimestamp: clock.rtpTimestamp, packetCount: 0,
            octetCount: 0)
        stream.receiver?.cell.state.receive(report, at: clock.arrival)
    }

    /// A stream whose packets came within so long is not given to another source.
    private static var handoverSilence: MediaDuration { .milliseconds(500) }

    // MARK: Collisions

    /// The other side uses a source of ours: ours is changed (RFC 3550 §8.2), and the stream begins again under the new one. Soon
    /// after that was done it is our own packets that come back, and another source would only meet itself again.
    mutating func resolveCollision(of ssrc: SSRC, at now: MediaTime) {
        guard let place = ownSources[ssrc], let stream = sending[place] else { return avoid(ssrc) }
        if let last = stream.lastCollision, now - last < SendingStream.loopWindow {
            counts.packetsLooped += 1
            return
        }
        stream.lastCollision = now
        var settings = stream.cell.state.settings
        if stream.cell.state.statistics.packetsSent > 0 { writeGoodbye(of: stream.sources, reason: nil, at: now) }
        ownSources.removeAll(of: place)
        let old = settings.ssrc
        settings.ssrc = drawSource()
        ownSources.set(settings.ssrc, to: place)
        settings.firstSequenceNumber = SequenceNumber(.random(in: 0...32767, using: &random))
        if settings.retransmission != nil {
            let again = drawSource()
            settings.retransmission?.ssrc = again
            ownSources.set(again, to: place)
        }
        do throws(SendError) { stream.cell.state = try RTPStreamSender(settings) } catch {
            preconditionFailure("settings that were valid: \(error)")
        }
        stream.isReported = false
        resetPauses(of: stream, at: now)
        wantKeyFrame(of: stream)
        events.append(.collision(of: stream.id, from: old, to: settings.ssrc))
    }

    /// The app is to be told that a key frame is wanted. Of a muted stream it is told when that goes on.
    mutating func wantKeyFrame(of stream: SendingStream) {
        guard !stream.isKeyFrameWanted, !stream.isSilent else { return }
        stream.isKeyFrameWanted = true
        keyFramesWanted += 1
    }
}
