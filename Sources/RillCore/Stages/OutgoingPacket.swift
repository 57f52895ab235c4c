/// What is said of a packet that leaves.
public enum OutgoingPacket {
    /// What a packet is for: what a pacer orders by, and a rate controller counts by.
    public enum Kind: UInt8, CaseIterable, Sendable {
        /// A packet of a stream, sent for the first time.
        case media
        /// A packet sent again, on a stream of its own or on the same.
        case retransmission
        /// A packet that protects others.
        case fec
        /// A packet that bears nothing, sent to fill time or to probe the path.
        case padding
        /// A datagram of RTCP.
        case rtcp
    }
}
