import RillCore
import RillRTP

/// The parser of a stream's payloads.
enum PayloadKind {
    case vp8, vp9
    /// A custom codec: a ``PayloadFormat``.
    case own

    init(_ codec: VideoCodec) {
        switch codec {
        case .vp8: self = .vp8
        case .vp9: self = .vp9
        default: self = .own
        }
    }
}

// Streams of a custom codec.

extension JitterBuffer {
    /// The offset of the frame's bytes in a payload that does not start a frame; `nil` for any other.
    @inline(never)
    static func continuationOffsetOwn(_ payload: Span<UInt8>, _ format: PayloadFormat) throws(RTPError) -> Int? {
        let piece = try parseOwn(payload, format)
        return piece.startsFrame ? nil : piece.offset
    }

    @inline(never)
    mutating func acceptOwn(
        _ packet: RTPPacket, _ sequence: Int64, _ timestamp: Int64, _ origin: PacketOrigin, at arrival: MediaTime
    ) throws(RTPError) -> InsertResult {
        let piece = try JitterBuffer.parseOwn(packet.payload, settings.payloadFormat)
        let bytes = packet.payload.extracting(piece.offset...)
        var told = FramePiece(
            sequence: sequence, timestamp: timestamp, label: FrameLabel(piece.frame), startsFrame: piece.startsFrame,
            hasMarker: packet.header.marker, isKey: piece.startsFrame && piece.frame.isKey, byteCount: bytes.count,
            arrival: arrival, origin: origin, rotation: rotation(toldBy: packet))
        if told.isKey { (told.width, told.height) = (piece.frame.width, piece.frame.height) }
        return hold(told, bytes)
    }

    /// Parses the payload. The format may be third-party code, so its result is checked.
    private static func parseOwn(_ payload: Span<UInt8>, _ format: PayloadFormat) throws(RTPError) -> PayloadPiece {
        guard !payload.isEmpty else { throw .emptyPayload }
        let piece = try format.parse(payload)
        guard piece.offset >= 0, piece.offset < payload.count else { throw .emptyPayload }
        return piece
    }
}
