/// Joins the packets of a VP9 stream to pictures again, for streams whose packets come in order (RFC 9628 §4).
///
/// A picture is all its spatial layers, one after the other, as a decoder takes them: from the packet that begins the
/// lowest one to the one with the marker. For the rest it is what ``VP8Depacketizer`` is for VP8.
///
/// Takes any bytes. A value with one owner; allocates only when the caller's array has to grow.
public struct VP9Depacketizer: Sendable {
    private var joiner: FrameJoiner

    /// What became of a packet.
    public typealias Outcome = DepacketizeOutcome

    /// A depacketizer that gives up pictures of more than `maximumFrameByteCount` bytes.
    public init(maximumFrameByteCount: Int = 16 << 20) {
        joiner = FrameJoiner(maximumFrameByteCount: maximumFrameByteCount)
    }

    /// A picture that grows beyond this is given up.
    public var maximumFrameByteCount: Int { joiner.maximumFrameByteCount }

    /// Whether a picture has begun and its end is still to come.
    public var isInFrame: Bool { joiner.isInFrame }

    /// Takes the next packet. `frame` is the depacketizer's to fill: leave it alone between a picture's packets.
    public mutating func insert(_ packet: RTPPacket, into frame: inout [UInt8]) -> Outcome {
        joiner.insert(packet, into: &frame) { (bytes, goesOn) throws(RTPError) in
            let payload = try VP9Payload(parsing: bytes)
            // A layer that builds on the one below is never the first of its picture; one that does not (and is not the
            // lowest) is, unless the picture has begun.
            let layer = payload.descriptor.layer
            let startsPicture =
                payload.descriptor.startsFrame && layer?.isInterLayerPredicted != true
                && (!goesOn || (layer?.spatialIndex ?? 0) == 0)
            return FrameJoiner.Piece(startsFrame: startsPicture, offset: bytes.count - payload.piece.count)
        }
    }
}
