public import RillCore
public import RillRTP

extension RTPStreamSender {
    /// The outcome of a request for retransmission.
    public enum RetransmitResult: Equatable, Sendable {
        /// The packet was retransmitted.
        case retransmitted
        /// The packet was retransmitted very recently; that answers this request too.
        case tooSoon
        /// Too much was retransmitted recently; see ``RTPStreamSettings/retransmissionShare``.
        case overBudget
        /// The packet is no longer kept.
        case notKept
        /// The packet belongs to frames that were given up after an overload: a key frame replaces them.
        case abandoned
        /// The packet was never sent: its sequence number is after the newest, or before the first.
        case neverSent
        /// The packet is an FEC packet. Retransmitting it is useless: the packets that it protects are themselves
        /// requested.
        case fec
    }

    /// Retransmits a packet: on the retransmission stream if there is one (RFC 4588), otherwise unchanged.
    ///
    /// A packet is not retransmitted again within three quarters of a round trip, so that copies of a request have no
    /// effect. The round-trip time is the minimum of the last eight in reports, or `assumedRoundTripTime` before the
    /// first. A request sent before the retransmission can have arrived does not account for it. A receiver repeats a
    /// request after a round trip as *it* measures it, which may be shorter than measured here, and jitter on the
    /// path can bring two requests closer together; the remaining quarter allows for both. A receiver that floods the
    /// sender with NACKs gets a packet at most four times in three round trips, within
    /// ``RTPStreamSettings/retransmissionShare``.
    ///
    /// - Parameters:
    ///   - number: the sequence number of the packet.
    ///   - now: the time of the request.
    ///   - sink: where to send the packet.
    /// - Returns: the outcome.
    @discardableResult
    public mutating func retransmit(
        _ number: SequenceNumber, at now: MediaTime, to sink: some PacketSink
    ) -> RetransmitResult {
        var result = judge(number, at: now)
        let packetByteCount = history.packet(number)?.bytes.count ?? 0
        // If a queue has built up, retransmissions lengthen it.
        if result == .retransmitted, !budget.take(packetByteCount, leavingHalf: roundTrips.hasStandingQueue, at: now) {
            result = .overBudget
        }
        statistics.note(result)
        guard result == .retransmitted else { return result }
        let byteCount = outlet.resend(number, of: history, at: now, to: sink, counting: &statistics)
        history.noteRetransmitted(number, at: now)
        statistics.retransmittedBytesSent += byteCount
        return .retransmitted
    }

    /// Retransmits nothing any more that was sent so far: after an overload a key frame replaces it.
    package mutating func abandonPackets() { abandonedCount = history.count }

    private func isAbandoned(_ number: SequenceNumber) -> Bool {
        guard abandonedCount > 0 else { return false }
        let age = Int(Int16(bitPattern: history.nextSequenceNumber.rawValue &- number.rawValue))
        return age > 0 && history.count - age < abandonedCount
    }

    /// Whether retransmissions are sent twice. This is so if the round trip is long, because waiting for a packet
    /// that is lost a second time takes long. It is not so if a queue causes the long round trip, because copies
    /// would lengthen the queue.
    var retransmitsTwice: Bool {
        (roundTrips.smallest ?? .zero) >= settings.longRoundTripTime && !roundTrips.hasStandingQueue
    }

    /// Sends another copy of a packet that was just retransmitted. Keeps half of the budget for packets that were
    /// not.
    mutating func sendCopy(of number: SequenceNumber, at now: MediaTime, to sink: some PacketSink) {
        let packetByteCount = history.packet(number)?.bytes.count ?? 0
        guard history.packet(number)?.retransmittedAt == now,
            budget.take(packetByteCount, leavingHalf: true, at: now)
        else { return }
        let byteCount = outlet.resend(number, of: history, at: now, to: sink, counting: &statistics)
        statistics.retransmittedPacketsSent += 1
        statistics.retransmittedBytesSent += byteCount
    }

    /// Returns the outcome of a request before the budget is applied.
    private func judge(_ number: SequenceNumber, at now: MediaTime) -> RetransmitResult {
        if isAbandoned(number) { return .abandoned }
        guard let packet = history.packet(number) else { return history.wasSent(number) ? .notKept : .neverSent }
        guard !packet.isFEC else { return .fec }
        if let retransmittedAt = packet.retransmittedAt {
            let roundTrip = roundTrips.smallest ?? settings.assumedRoundTripTime
            guard now - retransmittedAt >= roundTrip * 3 / 4 else { return .tooSoon }
        }
        return .retransmitted
    }

    /// Retransmits the packets that a receiver misses, each as in ``retransmit(_:at:to:)-(SequenceNumber,_,_)``.
    ///
    /// - Parameters:
    ///   - lost: the sequence numbers of the packets.
    ///   - now: the time of the request.
    ///   - sink: where to send the packets.
    /// - Returns: the number of packets retransmitted.
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
    /// Counts the outcome of a request.
    mutating func note(_ result: RTPStreamSender.RetransmitResult) {
        switch result {
        case .retransmitted: retransmittedPacketsSent += 1
        case .tooSoon: refusedRetransmissions.tooSoon += 1
        case .overBudget: refusedRetransmissions.overBudget += 1
        case .notKept: refusedRetransmissions.notKept += 1
        case .abandoned: refusedRetransmissions.abandoned += 1
        case .neverSent: refusedRetransmissions.neverSent += 1
        case .fec: refusedRetransmissions.fec += 1
        }
    }
}

extension RTPStreamSender {
    /// Sends its newest packets again on the retransmission stream, to fill a probe of the path. A receiver that lost
    /// one of them takes it, and drops the others as duplicates. They are counted as padding.
    ///
    /// - Parameters:
    ///   - byteCount: the bytes to send, at least.
    ///   - packetCount: the packets to send, at least.
    ///   - now: the current time.
    ///   - sink: where to send the packets.
    /// - Returns: the number of packets sent; zero without a retransmission stream, or before the first packet.
    package mutating func sendProbe(
        byteCount: Int, packetCount: Int, at now: MediaTime, to sink: some PacketSink
    ) -> Int {
        guard settings.retransmission != nil else { return 0 }
        let kept = min(history.keptCount, RTPStreamSender.probePacketLimit)
        var (sent, bytes, age) = (0, 0, 1)
        while sent < packetCount || bytes < byteCount {
            guard kept > 0, sent < RTPStreamSender.probePacketLimit else { break }
            let number = history.nextSequenceNumber.advanced(by: -age)
            age = age < kept ? age + 1 : 1
            guard let size = history.packet(number)?.bytes.count else { break }
            let payload = outlet.resend(number, as: .padding, of: history, at: now, to: sink, counting: &statistics)
            statistics.paddingPacketsSent += 1
            statistics.paddingBytesSent += payload
            sent += 1
            bytes += size
        }
        return sent
    }

    /// The most packets of a probe.
    private static var probePacketLimit: Int { 64 }
}
