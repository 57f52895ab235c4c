/// Joins the packets of a VP8 stream to frames again, for streams whose packets come in order (RFC 7741 §4).
///
/// Feed it packets in the order of their sequence numbers; it appends to the caller's array and says with each packet
/// what became of it. A frame with a packet missing is given up whole. Packets that come out of order want the jitter
/// buffer of `RillReceive` instead.
///
///     var depacketizer = VP8Depacketizer()
///     var frame: [UInt8] = []
///     for packet in packets where depacketizer.insert(packet, into: &frame) == .completed {
///         try decoder.decode(frame.span)
///     }
///
/// Takes any bytes. A value with one owner; allocates only when the caller's array has to grow.
public struct VP8Depacketizer: Sendable {
    private var joiner: FrameJoiner

    /// What became of a packet.
    public typealias Outcome = DepacketizeOutcome

    /// A depacketizer that gives up frames of more than `maximumFrameByteCount` bytes.
    public init(maximumFrameByteCount: Int = 16 << 20) {
        joiner = FrameJoiner(maximumFrameByteCount: maximumFrameByteCount)
    }

    /// A frame that grows beyond this is given up.
    public var maximumFrameByteCount: Int { joiner.maximumFrameByteCount }

    /// Whether a frame has begun and its end is still to come.
    public var isInFrame: Bool { joiner.isInFrame }

    /// Takes the next packet. `frame` is the depacketizer's to fill: leave it alone between a frame's packets.
    public mutating func insert(_ packet: RTPPacket, into frame: inout [UInt8]) -> Outcome {
        joiner.insert(packet, into: &frame) { (payload, _) throws(RTPError) in
            let parsed = try VP8Payload(parsing: payload)
            return FrameJoiner.Piece(
                startsFrame: parsed.descriptor.startsFrame, offset: payload.count - parsed.piece.count)
        }
    }
}
