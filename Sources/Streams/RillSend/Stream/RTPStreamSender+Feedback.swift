public import RillCore
package import RillRTP

extension RTPStreamSender {
    /// Parses a received RTCP datagram and reports the feedback for this stream.
    ///
    /// Feedback for other streams is ignored, so every datagram can be passed to each layer of a simulcast. A packet
    /// that cannot be parsed is counted, and the packets after it are still parsed.
    ///
    /// - Parameters:
    ///   - rtcp: a compound packet, or a reduced-size one (RFC 5506). Arbitrary bytes are safe.
    ///   - now: the time of arrival.
    ///   - packets: where to send packets that a receiver requests (generic NACK) and that are still kept; `nil` for
    ///     no retransmissions.
    ///   - handle: called immediately for each item of feedback, in order. It must not call this sender.
    public mutating func receive(
        _ rtcp: Span<UInt8>, at now: MediaTime, retransmittingTo packets: (some PacketSink)?,
        _ handle: (StreamFeedback) -> Void
    ) {
        var compound = RTCPCompound(rtcp)
        var isOver = false
        // The SSRC of the receiver whose report in this datagram is about this stream.
        var reporter: SSRC?
        while !isOver {
            do throws(RTPError) {
                if let packet = try compound.next() {
                    receive(
                        try RTCPMessage(parsing: packet), of: &reporter, at: now, retransmittingTo: packets, handle)
                } else {
                    isOver = true
                }
            } catch {
                // After an error of the compound itself, `next` returns `nil`.
                statistics.malformedFeedback += 1
                handle(.malformed(error))
            }
        }
    }

    /// Parses a received RTCP datagram without retransmitting anything: NACKs are counted and reported.
    ///
    /// - Parameters:
    ///   - rtcp: a compound packet, or a reduced-size one (RFC 5506). Arbitrary bytes are safe.
    ///   - now: the time of arrival.
    ///   - handle: called immediately for each item of feedback, in order. It must not call this sender.
    public mutating func receive(_ rtcp: Span<UInt8>, at now: MediaTime, _ handle: (StreamFeedback) -> Void) {
        receive(rtcp, at: now, retransmittingTo: PacketTap?.none, handle)
    }

    /// Handles one packet of a compound that the caller parses, as a session does for all of its streams.
    ///
    /// - Parameters:
    ///   - message: the packet.
    ///   - reporter: the SSRC of the receiver whose report in this compound is about this stream, if one was found so
    ///     far.
    ///   - now: the time of arrival.
    ///   - packets: where to send requested packets; `nil` for no retransmissions.
    ///   - handle: called immediately for each item of feedback, in order. It must not call this sender.
    package mutating func receive(
        _ message: borrowing RTCPMessage, of reporter: inout SSRC?, at now: MediaTime,
        retransmittingTo packets: (some PacketSink)?, _ handle: (StreamFeedback) -> Void
    ) {
        switch message {
        case .pictureLossIndication(let request):
            guard request.media == settings.ssrc else { return }
            statistics.pliCount += 1
            handle(requestKeyFrame(at: now))
        case .fullIntraRequest(let request):
            for index in request.entries.indices where request.entries[index].ssrc == settings.ssrc {
                statistics.firCount += 1
                handle(requestKeyFrame(number: request.entries[index].number, from: request.sender, at: now))
            }
        case .receiverReport(let report):
            if take(report.blocks, of: report.ssrc, at: now, handle) { reporter = report.ssrc }
        case .senderReport(let report):
            if take(report.blocks, of: report.ssrc, at: now, handle) { reporter = report.ssrc }
        case .extendedReport(let report):
            // Its blocks do not identify a stream; the report before it does.
            if report.ssrc == reporter { take(report, at: now) }
        case .genericNACK(let request):
            guard request.media == settings.ssrc else { return }
            statistics.nackCount += 1
            handle(answer(request, at: now, packets))
        case .sourceDescription, .goodbye, .application, .transportFeedback, .congestionControlFeedback, .pauseResume,
            .receiverEstimatedMaximumBitrate, .unknown:
            break
        }
    }

    private mutating func answer(
        _ request: borrowing GenericNACK, at now: MediaTime, _ packets: (some PacketSink)?
    ) -> StreamFeedback {
        var (count, retransmitted) = (0, 0)
        var lost = request.lostPackets
        while let number = lost.next() {
            count += 1
            if let packets, retransmit(number, at: now, to: packets) == .retransmitted { retransmitted += 1 }
        }
        if let packets, retransmitted > 0, retransmitsTwice {
            var again = request.lostPackets
            while let number = again.next() { sendCopy(of: number, at: now, to: packets) }
        }
        return .packetsRequested(count: count, retransmitted: retransmitted)
    }

    private mutating func requestKeyFrame(at now: MediaTime) -> StreamFeedback {
        guard coalescer.request(at: now) == .honored else { return .keyFrameRequestRepeated }
        statistics.keyFrameRequestsHonored += 1
        return .keyFrameRequested
    }

    /// A command is recorded only when it is carried out. If it falls into the window of another request, a
    /// repetition of it counts: the key frame may have been sent before this requester could receive it.
    private mutating func requestKeyFrame(number: UInt8, from requester: SSRC, at now: MediaTime) -> StreamFeedback {
        guard !fullIntraRequests.isRepetition(of: number, from: requester) else { return .keyFrameRequestRepeated }
        let feedback = requestKeyFrame(at: now)
        if feedback == .keyFrameRequested { fullIntraRequests.note(number, from: requester) }
        return feedback
    }

    /// Handles the report blocks about this stream; returns `false` if there are none.
    private mutating func take(
        _ blocks: WireList<ReportBlock>, of reporter: SSRC, at now: MediaTime, _ handle: (StreamFeedback) -> Void
    ) -> Bool {
        var isReported = false
        for index in blocks.indices where blocks[index].ssrc == settings.ssrc {
            let report = ReceptionReport(
                blocks[index], of: reporter, settings.clockRate, at: clock.wallClock(at: now))
            statistics.note(report)
            if let time = report.roundTripTime { roundTrips.add(time) }
            handle(.reported(report))
            isReported = true
        }
        return isReported
    }

    private mutating func take(_ report: ExtendedReport, at now: MediaTime) {
        var report = report
        // A block that cannot be parsed ends the packet; the next report follows soon.
        while let block = try? report.next() {
            guard case .receiverReferenceTime(let time) = block else { continue }
            noteReferenceTime(time, of: report.ssrc, at: now)
        }
    }
}
