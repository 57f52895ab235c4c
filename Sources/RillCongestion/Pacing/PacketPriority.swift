/// In which order a ``Pacer`` sends what waits: a packet leaves only when no packet of an earlier case waits.
public enum PacketPriority: UInt8, CaseIterable, Sendable {
    /// Sound is small, and its gaps are heard first.
    case audio
    /// Reports and requests.
    case rtcp
    /// Retransmissions: the receiver waits for them already.
    case retransmission
    /// The packets of a key frame, without which nothing after it can be decoded.
    case keyFrame
    /// The packets of a delta frame.
    case deltaFrame
    /// FEC packets: of use only together with the packets that they protect.
    case fec
    /// Padding, which probes the path.
    case padding
}
