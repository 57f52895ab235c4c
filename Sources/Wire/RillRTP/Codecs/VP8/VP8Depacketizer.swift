/// Reassembles VP8 frames from packets that arrive in order (RFC 7741 §4).
///
/// Insert packets in the order of their sequence numbers. The depacketizer appends to the caller's array and reports
/// the outcome for each packet. A frame with a missing packet is dropped whole. For packets that arrive out of order,
/// use the jitter buffer of `RillReceive` instead.
///
/// ```swift
/// var depacketizer = VP8Depacketizer()
/// var frame: [UInt8] = []
/// for packet in packets where depacketizer.insert(packet, into: &frame) == .completed {
///     try decoder.decode(frame.span)
/// }
/// ```
///
/// Accepts arbitrary bytes. A value with one owner. Allocates only when the caller's array has to grow.
public struct VP8Depacketizer: Sendable {
    private var joiner: FrameJoiner

    /// The outcome for a packet.
    public typealias Outcome = DepacketizeOutcome

    /// A depacketizer that drops frames of more than `maximumFrameByteCount` bytes (16 MiB by default).
    public init(maximumFrameByteCount: Int = 16 << 20) {
        joiner = FrameJoiner(maximumFrameByteCount: maximumFrameByteCount)
    }

    /// The maximum size of a frame in bytes; a larger frame is dropped.
    public var maximumFrameByteCount: Int { joiner.maximumFrameByteCount }

    /// Whether a frame has started and not yet ended.
    public var isInFrame: Bool { joiner.isInFrame }

    /// Inserts the next packet and appends its piece to `frame`. Do not modify `frame` between the packets of a
    /// frame.
    public mutating func insert(_ packet: RTPPacket, into frame: inout [UInt8]) -> Outcome {
        joiner.insert(packet, into: &frame) { (payload, _) throws(RTPError) in
            let parsed = try VP8Payload(parsing: payload)
            return FrameJoiner.Piece(
                startsFrame: parsed.descriptor.startsFrame, offset: payload.count - parsed.piece.count)
        }
    }
}
