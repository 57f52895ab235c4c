public import RillCore
package import RillRTP

extension RTPStreamSender {
    /// Takes an RTCP datagram that came back from the network, and passes on what it says to this stream.
    ///
    /// What concerns other streams is passed over, so each layer of a simulcast may be given every datagram. A packet that
    /// cannot be read is counted, and those behind it are still read.
    ///
    /// - Parameters:
    ///   - rtcp: a compound, or a reduced-size one (RFC 5506); any bytes do no harm.
    ///   - now: when it arrived.
    ///   - packets: where packets go that a receiver misses (generic NACK) and that are still kept; `nil` where none is
    ///     to be sent again.
    ///   - handle: gets each thing that is said, at once, in order. It cannot call back into this sender.
    public mutating func receive(
        _ rtcp: Span<UInt8>, at now: MediaTime, retransmittingTo packets: (some PacketSink)?,
        _ handle: (StreamFeedback) -> Void
    ) {
        var compound = RTCPCompound(rtcp)
        var isOver = false
        // Who reports on this stream in the datagram.
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
                // Behind an error of the compound itself, `next` gives nothing more.
                statistics.malformedFeedback += 1
                handle(.malformed(error))
            }
        }
    }

    /// The same without sending anything again: requests for packets are counted and passed on.
    public mutating func receive(_ rtcp: Span<UInt8>, at now: MediaTime, _ handle: (StreamFeedback) -> Void) {
        receive(rtcp, at: now, retransmittingTo: PacketTap?.none, handle)
    }

    /// Takes one packet of a compound that somebody else takes apart, as a session does for all of its streams.
    ///
    /// - Parameter reporter: who reports on this stream in the compound, as far as it was read.
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
            // Its blocks name no stream: the report before it does.
            if report.ssrc == reporter { take(report, at: now) }
        case .genericNACK(let request):
            guard request.media == settings.ssrc else { return }
            statistics.nackCount += 1
            handle(answer(request, at: now, packets))
        case .sourceDescription, .goodbye, .application, .transportFeedback, .pauseResume,
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
        if let packets, retransmitted > 0, isSentTwice {
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

    /// A command is only ticked off when it is carried out: one that fell into the window of another request counts when
    /// its giver repeats it, for the key frame may have been sent before that one could hear it.
    private mutating func requestKeyFrame(number: UInt8, from requester: SSRC, at now: MediaTime) -> StreamFeedback {
        guard !fullIntraRequests.isRepetition(of: number, from: requester) else { return .keyFrameRequestRepeated }
        let feedback = requestKeyFrame(at: now)
        if feedback == .keyFrameRequested { fullIntraRequests.note(number, from: requester) }
        return feedback
    }

    /// Takes what is reported of this stream; `false` if nothing is.
    private mutating func take(
        _ blocks: WireList<ReportBlock>, of reporter: SSRC, at now: MediaTime, _ handle: (StreamFeedback) -> Void
    ) -> Bool {
        var isReported = false
        for index in blocks.indices where blocks[index].ssrc == settings.ssrc {
            let report = ReceptionReport(blocks[index], of: reporter, at: clock.wallClock(at: now))
            statistics.note(report)
            if let time = report.roundTripTime { roundTrips.add(time) }
            handle(.reported(report))
            isReported = true
        }
        return isReported
    }

    private mutating func take(_ report: ExtendedReport, at now: MediaTime) {
        var report = report
        // A block that cannot be read ends the packet; the next one comes soon.
        while let block = try? report.next() {
            guard case .receiverReferenceTime(let time) = block else { continue }
            noteReferenceTime(time, of: report.ssrc, at: now)
        }
    }
}
