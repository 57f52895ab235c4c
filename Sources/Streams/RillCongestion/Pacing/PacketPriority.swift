/// The priorities of a ``Pacer``: a packet leaves only when no packet of an earlier case is queued.
public enum PacketPriority: UInt8, CaseIterable, Sendable {
    /// Audio: it is small, and its gaps are most noticeable.
    case audio
    /// RTCP: reports and requests.
    case rtcp
    /// Retransmissions: the receiver already waits for them.
    case retransmission
    /// Packets of a key frame: no later frame can be decoded without it.
    case keyFrame
    /// Packets of a delta frame.
    case deltaFrame
    /// FEC packets: they are useless without the packets that they protect.
    case fec
    /// Padding of probe clusters.
    case padding
}
