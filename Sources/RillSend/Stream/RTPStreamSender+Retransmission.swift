public import RillCore
public import RillRTP

extension RTPStreamSender {
    /// What became of the request to send a packet again.
    public enum RetransmitResult: Equatable, Sendable {
        /// It was sent again.
        case retransmitted
        /// It was sent again a moment ago: that answers this request too.
        case tooSoon
        /// Too much was sent again of late; see ``RTPStreamSettings/retransmissionShare``.
        case overBudget
        /// It is no longer kept.
        case notKept
        /// It was never sent: its number lies ahead of the newest, or before the first.
        case neverSent
        /// It is an FEC packet, which comes too late when the packets that it protects are asked for themselves.
        case fec
    }

    /// Sends a packet that a receiver misses again: on the retransmission stream where there is one (RFC 4588), else as
    /// it was.
    ///
    /// Not again within three quarters of a round trip, so that copies of a request cost nothing: the smallest of the last
    /// eight times that reports told, before the first one `assumedRoundTripTime`. What was asked for before an answer can
    /// have come was asked for in ignorance of it. A receiver repeats a request when a round trip has passed as *it* sees
    /// it, which may be less than is seen here, and jitter on the way can bring two requests closer together: hence the
    /// last quarter. One who floods gets a packet four times in three round trips at most, within
    /// ``RTPStreamSettings/retransmissionShare``.
    @discardableResult
    public mutating func retransmit(
        _ number: SequenceNumber, at now: MediaTime, to sink: some PacketSink
    ) -> RetransmitResult {
        var result = judge(number, at: now)
        let packetByteCount = history.packet(number)?.bytes.count ?? 0
        // Where a queue has grown, what is sent again makes it longer.
        if result == .retransmitted, !budget.take(packetByteCount, leavingHalf: roundTrips.isQueueStanding, at: now) {
            result = .overBudget
        }
        statistics.note(result)
        guard result == .retransmitted else { return result }
        let byteCount = outlet.resend(number, of: history, at: now, to: sink, counting: &statistics)
        history.noteResent(number, at: now)
        statistics.retransmittedBytesSent += byteCount
        return .retransmitted
    }

    /// Whether what is sent again is sent twice: a packet that is lost a second time would be waited for long, and the way
    /// is not long by a queue, which that would make longer.
    var isSentTwice: Bool {
        (roundTrips.smallest ?? .zero) >= settings.longRoundTripTime && !roundTrips.isQueueStanding
    }

    /// Sends a packet that was sent again just now once more. Half of the budget is kept for those that have not been.
    mutating func sendCopy(of number: SequenceNumber, at now: MediaTime, to sink: some PacketSink) {
        let packetByteCount = history.packet(number)?.bytes.count ?? 0
        guard history.packet(number)?.retransmittedAt == now,
            budget.take(packetByteCount, leavingHalf: true, at: now)
        else { return }
        let byteCount = outlet.resend(number, of: history, at: now, to: sink, counting: &statistics)
        statistics.retransmittedPacketsSent += 1
        statistics.retransmittedBytesSent += byteCount
    }

    /// Says what becomes of the request, but for the budget.
    private func judge(_ number: SequenceNumber, at now: MediaTime) -> RetransmitResult {
        guard let packet = history.packet(number) else { return history.wasSent(number) ? .notKept : .neverSent }
        guard !packet.isFEC else { return .fec }
        if let retransmittedAt = packet.retransmittedAt {
            let roundTrip = roundTrips.smallest ?? settings.assumedRoundTripTime
            guard now - retransmittedAt >= roundTrip * 3 / 4 else { return .tooSoon }
        }
        return .retransmitted
    }

    /// Sends all packets again that a receiver misses, as ``retransmit(_:at:to:)-(SequenceNumber,_,_)`` does each.
    ///
    /// - Returns: how many were sent.
    @discardableResult
    public mutating func retransmit(
        _ lost: some Sequence<SequenceNumber>, at now: MediaTime, to sink: some PacketSink
    ) -> Int {
        var count = 0
        for number in lost where retransmit(number, at: now, to: sink) == .retransmitted { count += 1 }
        return count
    }
}

extension RTPStreamStatistics {
    /// Counts what became of a request.
    mutating func note(_ result: RTPStreamSender.RetransmitResult) {
        switch result {
        case .retransmitted: retransmittedPacketsSent += 1
        case .tooSoon: refusedRetransmissions.tooSoon += 1
        case .overBudget: refusedRetransmissions.overBudget += 1
        case .notKept: refusedRetransmissions.notKept += 1
        case .neverSent: refusedRetransmissions.neverSent += 1
        case .fec: refusedRetransmissions.fec += 1
        }
    }
}
