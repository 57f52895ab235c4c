public import RillCore
public import RillRTP

extension RTPStreamSender {
    /// What became of the request to send a packet again.
    public enum RetransmitResult: Equatable, Sendable {
        /// It was sent again.
        case resent
        /// It was sent again less than a round trip ago: that answers this request too.
        case tooSoon
        /// It is no longer kept, or was never sent.
        case notKept
        /// It is a parity, which comes too late when the packets that it protects are asked for themselves.
        case parity
    }

    /// Sends a packet that a receiver misses again: on the retransmission stream where there is one (RFC 4588), else as
    /// it was.
    ///
    /// Once a round trip at most, so that copies and repetitions of a request cost nothing. The round-trip time is the
    /// newest that a report told, before the first one `assumedRoundTripTime`.
    @discardableResult
    public mutating func retransmit(
        _ number: SequenceNumber, at now: MediaTime, to sink: some PacketSink
    ) -> RetransmitResult {
        switch resendability(of: number, at: now) {
        case .resent: break
        case let reason: return reason
        }
        let byteCount = outlet.resend(number, of: history, at: now, to: sink, counting: &statistics)
        history.noteResent(number, at: now)
        statistics.retransmittedPacketsSent += 1
        statistics.retransmittedBytesSent += byteCount
        return .resent
    }

    /// What would become of the request.
    private func resendability(of number: SequenceNumber, at now: MediaTime) -> RetransmitResult {
        guard let packet = history.packet(number) else { return .notKept }
        guard !packet.isParity else { return .parity }
        guard let resentAt = packet.resentAt else { return .resent }
        return now - resentAt >= statistics.roundTripTime ?? settings.assumedRoundTripTime ? .resent : .tooSoon
    }

    /// Sends all packets again that a receiver misses, as ``retransmit(_:at:to:)-(SequenceNumber,_,_)`` does each.
    ///
    /// - Returns: how many were sent.
    @discardableResult
    public mutating func retransmit(
        _ lost: some Sequence<SequenceNumber>, at now: MediaTime, to sink: some PacketSink
    ) -> Int {
        var count = 0
        for number in lost where retransmit(number, at: now, to: sink) == .resent { count += 1 }
        return count
    }
}
