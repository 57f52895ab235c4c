/// The description of a packet to send.
public struct OutgoingPacket: Hashable, Sendable {
    /// The packet's purpose.
    public var kind: Kind
    /// The index of its stream at the sender, or `nil` if the packet concerns all streams.
    public var stream: Int?
    /// The length of the packet in bytes, without the headers of lower layers.
    public var byteCount: Int

    /// Creates a description.
    public init(kind: Kind, stream: Int? = nil, byteCount: Int) {
        self.kind = kind
        self.stream = stream
        self.byteCount = byteCount
    }

    /// The purpose of a packet. A pacer orders by it, and a rate controller counts by it.
    public enum Kind: UInt8, CaseIterable, Sendable, BitwiseCopyable {
        /// A packet of a stream, sent for the first time.
        case media
        /// A retransmitted packet, on its own stream or on the original one.
        case retransmission
        /// A FEC packet, which protects others.
        case fec
        /// A padding packet, sent to fill time or to probe the path.
        case padding
        /// An RTCP packet.
        case rtcp
    }
}
