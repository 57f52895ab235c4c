import RillCore
import RillRTP

// Streams of an app's own codec, whose packets a ``PayloadFormat`` reads.

extension JitterBuffer {
    /// Where the frame's bytes begin in a payload that starts no frame; `nil` for any other.
    @inline(never)
    func continuationOffsetOwn(_ payload: Span<UInt8>) throws(RTPError) -> Int? {
        let piece = try parseOwn(payload)
        return piece.startsFrame ? nil : piece.offset
    }

    @inline(never)
    mutating func acceptOwn(
        _ packet: RTPPacket, _ sequence: Int64, _ timestamp: Int64, _ origin: PacketOrigin, at arrival: MediaTime
    ) throws(RTPError) -> InsertResult {
        let piece = try parseOwn(packet.payload)
        let bytes = packet.payload.extracting(piece.offset...)
        var told = FramePiece(
            sequence: sequence, timestamp: timestamp, label: FrameLabel(piece.frame), startsFrame: piece.startsFrame,
            hasMarker: packet.header.marker, isKey: piece.startsFrame && piece.frame.isKey, byteCount: bytes.count,
            arrival: arrival, origin: origin, rotation: rotation(toldBy: packet))
        if told.isKey { (told.width, told.height) = (piece.frame.width, piece.frame.height) }
        return hold(told, bytes)
    }

    /// What the format says; it may be anybody's, so its answer is looked at.
    private func parseOwn(_ payload: Span<UInt8>) throws(RTPError) -> PayloadPiece {
        guard !payload.isEmpty else { throw .emptyPayload }
        let piece = try settings.payloadFormat.parse(payload)
        guard piece.offset >= 0, piece.offset < payload.count else { throw .emptyPayload }
        return piece
    }
}
