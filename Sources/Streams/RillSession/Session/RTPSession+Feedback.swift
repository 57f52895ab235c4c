import RillCongestion
import RillCore
import RillRTP
import RillReceive
import RillSend

// Incoming RTCP: each packet of a compound is routed to its stream, whoever wrote it.

extension RTPSession {
    /// Parses a compound. An error in the compound itself ends it; a single packet that cannot be parsed is skipped.
    func take(compound datagram: Span<UInt8>, at now: MediaTime) {
        // Our own RTCP, coming back, does not prove that the remote side is present.
        let isOwn = SSRC(ofSenderOf: datagram).map { ssrcs.own.contains($0) } ?? false
        var packets = RTCPCompound(datagram)
        var start = 0
        while true {
            do throws(RTPError) {
                // After an error of the compound itself it returns nothing more.
                guard let packet = try packets.next() else { return }
                let bytes = datagram.extracting(start..<start + packet.byteCount)
                start += packet.byteCount
                let message = try RTCPMessage(parsing: packet)
                if !isOwn { noteArrival(at: now) }
                take(message, bytes, at: now)
            } catch {
                counts.malformedFeedback += 1
            }
        }
    }

    private func take(_ message: borrowing RTCPMessage, _ bytes: Span<UInt8>, at now: MediaTime) {
        switch message {
        case .senderReport(let report):
            guard takeReporter(report.ssrc, at: now) else { return }
            if let stream = ssrcs.theirs[report.ssrc].flatMap({ receiving[$0] }), stream.ssrc == report.ssrc {
                stream.receive(report, at: now)
                stream.clock = SenderClock(report, stream.settings.jitterBuffer.clockRate, at: now)
            } else {
                // Its stream, and so its clock, is not known yet.
                earlyReports.keep(SenderClock(report, .video, at: now), of: report.ssrc)
            }
            giveToAll(message, at: now)
            takeReports(report.blocks, at: now)
        case .receiverReport(let report):
            guard takeReporter(report.ssrc, at: now) else { return }
            giveToAll(message, at: now)
            takeReports(report.blocks, at: now)
        case .extendedReport(let report): take(report, at: now)
        case .goodbye(let goodbye): take(goodbye, at: now)
        case .pictureLossIndication(let request): give(message, to: request.media, at: now)
        case .genericNACK(let request):
            // A stopped stream retransmits nothing either.
            guard ssrcs.own[request.media].flatMap({ sending[$0] })?.isStopped != true else { return }
            // What seems to be missing only waits, and would wait longer behind a copy of itself.
            guard congestion?.isStalled(at: now) != true else { return }
            give(message, to: request.media, at: now)
        case .fullIntraRequest: giveToAll(message, at: now)
        case .receiverEstimatedMaximumBitrate(let estimate): take(estimate, at: now)
        case .pauseResume(let message): take(message, at: now)
        case .transportFeedback(let feedback):
            if !take(feedback, at: now) { events.append(.transportFeedback(bytes.array)) }
        case .congestionControlFeedback(let feedback):
            if !take(feedback, at: now) { events.append(.transportFeedback(bytes.array)) }
        case .sourceDescription, .application, .unknown: break
        }
    }

    /// Notes the SSRC that reports; `false` if it is one of our own.
    private func takeReporter(_ ssrc: SSRC, at now: MediaTime) -> Bool {
        guard !ssrcs.own.contains(ssrc) else {
            resolveCollision(of: ssrc, at: now)
            return false
        }
        ssrcs.avoid(ssrc)
        ssrcs.theirReporter = ssrc
        return true
    }

    // MARK: Streams that are sent

    private func giveToAll(_ message: borrowing RTCPMessage, at now: MediaTime) {
        for index in sending.indices {
            if let stream = sending[index] { give(message, to: stream, at: now) }
        }
    }

    private func give(_ message: borrowing RTCPMessage, to ssrc: SSRC, at now: MediaTime) {
        if let stream = ssrcs.own[ssrc].flatMap({ sending[$0] }) { give(message, to: stream, at: now) }
    }

    private func give(_ message: borrowing RTCPMessage, to stream: SendingStream, at now: MediaTime) {
        var nobody: SSRC?
        let offset = stream.sender.transportNumberOffset
        guard let waiting else {
            datagrams.begin(stream.id.number, numberOffset: offset)
            stream.sender.receive(message, of: &nobody, at: now, retransmittingTo: datagrams) {
                note($0, of: stream)
            }
            return
        }
        waiting.begin(stream.id.number, numberOffset: offset, .deltaFrame)
        stream.sender.receive(message, of: &nobody, at: now, retransmittingTo: waiting) { note($0, of: stream) }
        releasePaced(at: now)
    }

    private func note(_ feedback: StreamFeedback, of stream: SendingStream) {
        switch feedback {
        case .keyFrameRequested: wantKeyFrame(of: stream)
        case .reported(let report): if let time = report.roundTripTime { noteRoundTrip(roundTrip.note(time)) }
        case .keyFrameRequestRepeated, .packetsRequested, .malformed: break
        }
        events.append(.feedback(of: stream.id, feedback))
    }

    // MARK: Streams that are received

    private func noteRoundTrip(_ time: MediaDuration) {
        for index in receiving.indices {
            guard let stream = receiving[index] else { continue }
            stream.receiver?.roundTripTime = time
            note(stream.wakeTime, of: stream)
        }
    }

    private func take(_ report: consuming ExtendedReport, at now: MediaTime) {
        let sender = report.ssrc
        do throws(RTPError) {
            while let block = try report.next() { take(block, of: sender, at: now) }
        } catch {
            // A block that cannot be read ends the report.
            counts.malformedFeedback += 1
        }
    }

    private func take(_ block: borrowing ExtendedReport.Block, of sender: SSRC, at now: MediaTime) {
        switch block {
        case .receiverReferenceTime(let time):
            // Answer a new SSRC soon: it does not know the round-trip time yet.
            guard receiverClocks.note(time, of: sender, at: now), isSending(at: now) else { return }
            reports.require(by: now)
            wakeTime = min(wakeTime, reports.next)
        case .delaySinceLastReceiverReport(let echoes):
            for index in echoes.indices
            where echoes[index].ssrc == ssrcs.reporter || ssrcs.own.contains(echoes[index].ssrc) {
                if let time = roundTrip.note(echoes[index], at: now) { noteRoundTrip(time) }
            }
        case .unknown: break
        }
    }

    private func take(_ goodbye: borrowing Goodbye, at now: MediaTime) {
        var isOfTheirs = false
        for index in goodbye.sources.indices {
            let ssrc = goodbye.sources[index]
            isOfTheirs = isOfTheirs || ssrc == ssrcs.theirReporter
            guard let stream = ssrcs.theirs[ssrc].flatMap({ receiving[$0] }) else { continue }
            isOfTheirs = true
            guard stream.ssrc == ssrc, stream.end == nil else { continue }
            stream.end = now
            events.append(.ended(stream.id))
        }
        guard isOfTheirs, !isAnyComing, peer.noteLeaving(at: now) else { return }
        let reason: String? = if let text = goodbye.reason { String(decoding: text.array, as: UTF8.self) } else { nil }
        events.append(.left(reason: reason))
    }

    /// Whether a stream is still being received.
    private var isAnyComing: Bool {
        receiving.indices.contains { index in
            receiving[index].map { $0.end == nil && $0.lastArrival != nil } ?? false
        }
    }
}
