public import RillCore
import RillRTP
import RillReceive

extension RTPSession {
    /// Inserts a datagram that arrived from the remote side; poll afterwards.
    @discardableResult
    public func insert(_ datagram: Span<UInt8>, at now: MediaTime) -> SessionInsertResult {
        insert(datagram, at: now, arrival: now)
    }

    /// Inserts a datagram that arrived before it could be inserted; poll afterwards.
    ///
    /// - Parameters:
    ///   - datagram: the datagram.
    ///   - now: the current time.
    ///   - arrival: when it arrived, not after `now`, and not before the previous one. Congestion feedback and the
    ///     jitter buffer count from then.
    @discardableResult
    package func insert(_ datagram: Span<UInt8>, at now: MediaTime, arrival: MediaTime) -> SessionInsertResult {
        record { .insert(datagram.array, at: now, arrival: arrival) }
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
        noteArrival(of: datagram, at: arrival)
        if let place = ssrcs.theirs[ssrc], let stream = receiving[place] {
            return insert(datagram, into: stream, at: now, arrival: arrival)
        }
        return insert(datagram, of: ssrc, at: now, arrival: arrival)
    }

    private func refuse(_ error: RTPError) -> SessionInsertResult {
        counts.malformedPackets += 1
        return .malformed(error)
    }

    @inline(__always)
    private func insert(
        _ datagram: Span<UInt8>, into stream: ReceivingStream, at now: MediaTime, arrival: MediaTime
    ) -> SessionInsertResult {
        noteArrival(at: now)
        noteArrival(received: datagram, at: arrival)
        if stream.payloads != nil { return insert(payloadOf: datagram, into: stream, at: now) }
        let (result, isFirst, wakeTime) = stream.insert(datagram, at: arrival)
        if isFirst { noteFirstPacket(at: now) }
        note(wakeTime, of: stream)
        if stream.attention.isWatchful { noteInSilence(datagram, of: stream, at: now) }
        return .media(of: stream.id, result)
    }

    /// Inserts a packet of audio.
    @inline(never)
    private func insert(
        payloadOf datagram: Span<UInt8>, into stream: ReceivingStream, at now: MediaTime
    ) -> SessionInsertResult {
        let waiting = stream.waitingCount
        let (result, isFirst) = stream.insert(payloadOf: datagram, at: now)
        payloadsWaiting += stream.waitingCount - waiting
        if isFirst { noteFirstPacket(at: now) }
        if stream.attention.isWatchful { noteInSilence(datagram, of: stream, at: now) }
        return .media(of: stream.id, result)
    }

    /// Schedules the poll of a stream.
    @inline(__always)
    func note(_ time: MediaTime, of stream: ReceivingStream) {
        wakeTimes[Int(stream.id.place.index)] = time
        wakeTime = min(wakeTime, time)
    }

    /// Notes that a packet arrived from the remote side.
    @inline(__always)
    func noteArrival(at now: MediaTime) {
        if let event = peer.noteArrival(at: now) { events.append(event) }
        wakeTime = min(wakeTime, peer.wakeTime)
    }

    /// Schedules the first report soon after a stream's first packet. The sender's first report follows its first
    /// frame, so it can be answered then.
    private func noteFirstPacket(at now: MediaTime) {
        reports.require(by: now + min(RTPSession.firstReportDelay, settings.reportInterval))
        wakeTime = min(wakeTime, reports.next)
    }

    private static var firstReportDelay: MediaDuration { .milliseconds(20) }

    // MARK: Unknown SSRCs

    /// Inserts a packet whose SSRC does not belong to a received stream yet.
    private func insert(
        _ datagram: Span<UInt8>, of ssrc: SSRC, at now: MediaTime, arrival: MediaTime
    ) -> SessionInsertResult {
        let packet: RTPPacket
        do throws(RTPError) { packet = try RTPPacket(parsing: datagram) } catch { return refuse(error) }
        guard !ssrcs.own.contains(ssrc) else {
            resolveCollision(of: ssrc, at: now)
            return .ownSource(ssrc)
        }
        guard let claim = claim(of: packet) else {
            counts.packetsOfUnknownSources += 1
            unknownSources.count(ssrc, packet.header.payloadType)
            return .unknownSource(ssrc)
        }
        guard accept(claim, of: ssrc, at: now) else {
            counts.packetsOfUnknownSources += 1
            // Audio has no key frame that would be lost.
            if !claim.isRetransmission, claim.stream.payloads == nil {
                claimed.hold(datagram, of: ssrc, for: claim.stream.id.place, at: arrival)
            }
            return .contradictory(ssrc)
        }
        ssrcs.avoid(ssrc)
        if !claim.isRetransmission {
            for packet in claimed.take(ssrc, for: claim.stream.id.place, at: now) {
                _ = claim.stream.insert(packet.bytes.span, at: packet.arrival)
            }
        }
        return insert(datagram, into: claim.stream, at: now, arrival: arrival)
    }

    /// The stream that a packet claims.
    private struct Claim {
        var stream: ReceivingStream
        /// Whether the packet is one of its retransmissions.
        var isRetransmission: Bool
        /// The RID in the packet.
        var rid: StreamIdentifier?
    }

    /// Finds the one stream that matches the identifiers and payload type of a packet.
    private func claim(of packet: borrowing RTPPacket) -> Claim? {
        var found: Claim?
        let isOnly = receiving.count == 1
        for index in receiving.indices {
            guard let stream = receiving[index] else { continue }
            let names = PacketNames(of: packet, by: stream.settings.jitterBuffer.headerExtensions)
            guard let claim = stream.claim(names, packet.header.payloadType, isOnly: isOnly) else { continue }
            // A packet that matches two streams is assigned to none.
            guard found == nil else { return nil }
            found = Claim(stream: stream, isRetransmission: claim.isRetransmission, rid: names.rid)
        }
        return found
    }

    /// Assigns the SSRC to the stream, unless the stream's current SSRC is still active.
    private func accept(_ claim: Claim, of ssrc: SSRC, at now: MediaTime) -> Bool {
        let stream = claim.stream
        if claim.isRetransmission {
            guard stream.receiver != nil, stream.retransmissionSSRC == nil else { return false }
            stream.learn(retransmissions: ssrc)
        } else {
            let old = stream.ssrc
            if let arrival = stream.lastArrival, stream.end == nil {
                let silence = now - arrival
                guard silence >= shortestSilence(of: stream, before: ssrc, at: now) else { return false }
            }
            ssrcs.theirs.removeAll(of: stream.id.place)
            payloadsWaiting -= stream.waitingCount
            stream.change(to: ssrc, roundTripTime: roundTrip.statistics.roundTripTime, at: now)
            arePausesDue = arePausesDue || stream.pauses.isWaiting
            takeEarlyReport(of: ssrc, for: stream)
            if let old { events.append(.sourceChanged(of: stream.id, from: old, to: ssrc)) }
            if let rid = claim.rid, rid != stream.name {
                stream.name = rid
                events.append(.layerChanged(of: stream.id, rid))
            }
        }
        ssrcs.theirs.set(ssrc, to: stream.id.place)
        return true
    }

    /// Applies the report of an SSRC that arrived before it was assigned to the stream.
    func takeEarlyReport(of ssrc: SSRC, for stream: ReceivingStream) {
        guard var clock = earlyReports.take(ssrc) else { return }
        clock.clockRate = stream.settings.jitterBuffer.clockRate
        stream.clock = clock
        let report = SenderReport(
            ssrc: ssrc, ntpTimestamp: clock.ntpTimestamp, rtpTimestamp: clock.rtpTimestamp, packetCount: 0,
            octetCount: 0)
        stream.receive(report, at: clock.arrival)
    }

    /// A stream with packets within this time is not reassigned to another SSRC, at the first packet of that.
    private static var handoverSilence: MediaDuration { .milliseconds(500) }

    /// How long the stream's SSRC must have been silent before another that claims the stream gets it: three frames,
    /// if packets of that one have arrived before.
    private func shortestSilence(
        of stream: ReceivingStream, before ssrc: SSRC, at now: MediaTime
    ) -> MediaDuration {
        guard let interval = stream.receiver?.frameInterval, interval > .zero,
            claimed.contains(ssrc, for: stream.id.place, at: now)
        else { return RTPSession.handoverSilence }
        return min(RTPSession.handoverSilence, max(.milliseconds(100), interval * 3))
    }

    // MARK: Collisions

    /// Resolves a collision: the remote side uses an SSRC of ours, so ours changes (RFC 3550 §8.2), and the stream
    /// restarts under the new one. If it happens again soon after, it is our own packets coming back, and a new SSRC
    /// would only meet itself again.
    func resolveCollision(of ssrc: SSRC, at now: MediaTime) {
        guard let place = ssrcs.own[ssrc], let stream = sending[place] else { return ssrcs.avoid(ssrc) }
        if let last = stream.lastCollision, now - last < SendingStream.loopWindow {
            counts.packetsLooped += 1
            return
        }
        stream.lastCollision = now
        var settings = stream.sender.settings
        if stream.sender.statistics.packetsSent > 0 { writeGoodbye(of: stream.sources, reason: nil, at: now) }
        ssrcs.own.removeAll(of: place)
        let old = settings.ssrc
        settings.ssrc = ssrcs.draw()
        ssrcs.own.set(settings.ssrc, to: place)
        settings.firstSequenceNumber = SequenceNumber(.random(in: 0...32767, using: &ssrcs.random))
        if settings.retransmission != nil {
            let again = ssrcs.draw()
            settings.retransmission?.ssrc = again
            ssrcs.own.set(again, to: place)
        }
        do throws(SendError) { stream.sender = try RTPStreamSender(settings) } catch {
            preconditionFailure("settings that were valid: \(error)")
        }
        (stream.isReported, stream.reported) = (false, ReportedPackets())
        if !stream.isStopped { stream.breaker = CircuitBreaker() }
        resetPauses(of: stream, at: now)
        wantKeyFrame(of: stream)
        events.append(.collision(of: stream.id, from: old, to: settings.ssrc))
    }

    /// Schedules a key frame request for the app. For a muted stream the app is asked when it resumes.
    func wantKeyFrame(of stream: SendingStream) {
        guard !stream.isKeyFrameWanted, !stream.isSilent, !stream.isAudio else { return }
        stream.isKeyFrameWanted = true
        keyFramesWanted += 1
    }
}
