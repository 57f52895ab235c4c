/// What is said of a packet that leaves.
public struct OutgoingPacket: Hashable, Sendable {
    /// What it is for.
    public var kind: Kind
    /// Which of its sender's streams it belongs to, as the sender numbers them; `nil` for what concerns all of them.
    public var stream: Int?
    /// Bytes of the packet, without what the network puts before it.
    public var byteCount: Int

    /// A packet of these properties.
    public init(kind: Kind, stream: Int? = nil, byteCount: Int) {
        self.kind = kind
        self.stream = stream
        self.byteCount = byteCount
    }

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
