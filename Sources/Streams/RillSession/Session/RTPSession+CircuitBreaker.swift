import RillCore
import RillRTP
import RillSend

// The circuit breakers of the streams that are sent (RFC 8083): what is reported on them, and what follows.

extension RTPSession {
    /// Records that a frame of a stream is sent. Where a pacer holds its packets, they are counted as they leave.
    @inline(__always)
    func recordFrame(of stream: SendingStream, at now: MediaTime) {
        guard settings.hasCircuitBreaker else { return }
        stream.breaker.recordFrame(at: now)
        if waiting == nil { recordPacket(of: stream, at: now) }
    }

    /// Records the packets that left the pacer.
    @inline(__always)
    func recordDepartures(at now: MediaTime) {
        while let departure = congestion?.takeDeparture() {
            guard let stream = sending[departure.stream] else { continue }
            stream.packetsPaced += departure.packetCount
            stream.bytesPaced += departure.byteCount
            if departure.hasMedia, settings.hasCircuitBreaker { recordPacket(of: stream, at: now) }
        }
    }

    private func recordPacket(of stream: SendingStream, at now: MediaTime) {
        guard settings.expectsReports else { return }
        stream.breaker.noteSent(at: now)
        breakerTime = min(breakerTime, stream.breaker.dueTime)
        wakeTime = min(wakeTime, breakerTime)
    }

    /// Takes the report blocks of a sender or receiver report of the remote side.
    func takeReports(_ blocks: WireList<ReportBlock>, at now: MediaTime) {
        if waiting != nil { adaptToReports(blocks, at: now) }
        guard settings.hasCircuitBreaker else { return }
        for index in blocks.indices {
            let block = blocks[index]
            guard let stream = stream(of: block) else { continue }
            let sent = sentPackets(of: stream)
            let report = CircuitBreaker.Report(
                highestNumber: block.extendedHighestSequenceNumber, packetsLost: block.cumulativeLost,
                lastSenderReport: block.lastSenderReport?.rawValue ?? 0,
                roundTripTime: roundTrip.statistics.roundTripTime, packetsSent: sent.count,
                bytesSent: sent.byteCount)
            follow(stream.breaker.take(report, isReducible: waiting != nil, at: now), of: stream, at: now)
        }
        limitCongestion(at: now)
        lastReport = now
        for index in sending.indices {
            guard let stream = sending[index], stream.isStopped else { continue }
            follow(stream.breaker.notePeer(), of: stream, at: now)
        }
    }

    /// The stream of ours that a block reports on, not its retransmissions.
    func stream(of block: ReportBlock) -> SendingStream? {
        guard let stream = ssrcs.own[block.ssrc].flatMap({ sending[$0] }) else { return nil }
        return block.ssrc == stream.sender.settings.ssrc ? stream : nil
    }

    /// The packets of a stream that have left so far, and their bytes with all headers.
    private func sentPackets(of stream: SendingStream) -> (count: Int, byteCount: Int) {
        guard waiting == nil else { return (stream.packetsPaced, stream.bytesPaced) }
        let statistics = stream.sender.statistics
        return (
            statistics.packetsSent,
            statistics.bytesSent + statistics.headerBytesSent + statistics.packetsSent * RTPSession.pathOverhead
        )
    }

    /// Keeps congestion control below what opens the breakers (RFC 8083 §1): loss without a queue does not lower its
    /// rate.
    private func limitCongestion(at now: MediaTime) {
        guard waiting != nil else { return }
        var (headroom, sent) = (Double.infinity, 0.0)
        for index in sending.indices {
            guard let stream = sending[index] else { continue }
            headroom = min(headroom, stream.breaker.headroom)
            sent += stream.breaker.sentBits
        }
        congestion?.limit(to: sent > 0 ? headroom * sent : .infinity, at: now)
    }

    /// The bytes of UDP and IPv4 in each packet.
    private static var pathOverhead: Int { 28 }

    /// Opens the breakers that are due by time: nobody reports.
    func checkBreakers(at now: MediaTime) {
        guard breakerTime <= now else { return }
        breakerTime = .distantFuture
        for index in sending.indices {
            guard let stream = sending[index] else { continue }
            follow(stream.breaker.check(at: now, lastReport: lastReport), of: stream, at: now)
            breakerTime = min(breakerTime, stream.breaker.dueTime)
        }
    }

    /// Closes the breakers: packets take another path from now on.
    func restartBreakers(at now: MediaTime) {
        for index in sending.indices { if let stream = sending[index] { restartBreaker(of: stream, at: now) } }
    }

    /// Closes the breaker of a stream.
    func restartBreaker(of stream: SendingStream, at now: MediaTime) {
        stream.breaker.restart()
        if stream.isStopped { setStopped(false, of: stream, at: now) }
    }

    private func follow(_ outcome: CircuitBreaker.Outcome, of stream: SendingStream, at now: MediaTime) {
        switch outcome {
        case .nothing: break
        case .reduce(let bitrate):
            counts.bitrateReductions += 1
            congestion?.reduce(to: bitrate, at: now)
            giveUpFrames(at: now)
        case .lift: congestion?.lift(at: now)
        case .stop(let reason):
            counts.streamsStopped += 1
            _ = congestion?.discardFrames(of: stream.id.number)
            congestion?.discardRetransmissions(of: stream.id.number)
            events.append(.sendingStopped(of: stream.id, reason))
            setStopped(true, of: stream, at: now)
        case .resume: setStopped(false, of: stream, at: now)
        }
    }

    private func setStopped(_ isStopped: Bool, of stream: SendingStream, at now: MediaTime) {
        if !isStopped { events.append(.sendingResumed(of: stream.id)) }
        change(stream, at: now) { $0.isStopped = isStopped }
    }
}
