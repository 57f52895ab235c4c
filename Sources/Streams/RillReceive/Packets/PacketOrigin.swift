/// How a packet arrived at a ``JitterBuffer``.
public enum PacketOrigin: Sendable, Equatable {
    /// As it was sent, with the stream's own SSRC.
    case network
    /// Retransmitted on request, on a retransmission stream (RFC 4588).
    case retransmission
    /// Recovered from the FEC packets that protect it (RFC 5109).
    case fec
}
