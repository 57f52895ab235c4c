/// Reassembles VP9 pictures from packets that arrive in order (RFC 9628 §4).
///
/// A picture consists of all its spatial layers in order, as a decoder takes them: from the packet that starts the
/// lowest layer to the one with the marker bit. In all other respects this type works like ``VP8Depacketizer``.
///
/// Accepts arbitrary bytes. A value with one owner. Allocates only when the caller's array has to grow.
public struct VP9Depacketizer: Sendable {
    private var joiner: FrameJoiner

    /// The outcome for a packet.
    public typealias Outcome = DepacketizeOutcome

    /// A depacketizer that drops pictures of more than `maximumFrameByteCount` bytes (16 MiB by default).
    public init(maximumFrameByteCount: Int = 16 << 20) {
        joiner = FrameJoiner(maximumFrameByteCount: maximumFrameByteCount)
    }

    /// The maximum size of a picture in bytes; a larger picture is dropped.
    public var maximumFrameByteCount: Int { joiner.maximumFrameByteCount }

    /// Whether a picture has started and not yet ended.
    public var isInFrame: Bool { joiner.isInFrame }

    /// Inserts the next packet and appends its piece to `frame`. Do not modify `frame` between the packets of a
    /// picture.
    public mutating func insert(_ packet: RTPPacket, into frame: inout [UInt8]) -> Outcome {
        joiner.insert(packet, into: &frame) { (bytes, continuesFrame) throws(RTPError) in
            let payload = try VP9Payload(parsing: bytes)
            // A layer that is predicted from the one below is never the first of its picture. A layer that is not
            // (other than the lowest) is the first, unless the picture has already started.
            let layer = payload.descriptor.layer
            let startsPicture =
                payload.descriptor.startsFrame && layer?.isInterLayerPredicted != true
                && (!continuesFrame || (layer?.spatialIndex ?? 0) == 0)
            return FrameJoiner.Piece(startsFrame: startsPicture, offset: bytes.count - payload.piece.count)
        }
    }
}
