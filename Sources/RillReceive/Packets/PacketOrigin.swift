/// How a packet came to a ``JitterBuffer``.
public enum PacketOrigin: Sendable, Equatable {
    /// As it was sent, on the stream's own source.
    case network
    /// Sent again on request, on a retransmission stream (RFC 4588).
    case retransmission
    /// Made again from the FEC packets that protect it (RFC 5109).
    case fec
}
