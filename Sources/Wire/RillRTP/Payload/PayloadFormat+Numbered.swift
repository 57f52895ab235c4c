extension PayloadFormat {
    /// Rill's own format for codecs without an RTP payload format: frame numbers, flags and references, in 3 to 10
    /// bytes.
    ///
    /// It is not standardized and has no name in SDP, so both sides must be configured to use it. A frame that refers
    /// to more than three others, or to one more than 255 frames back, is signaled as one that needs all frames
    /// before it.
    public static let numbered = PayloadFormat(
        "numbered",
        write: { frame, isFirst, bytes in NumberedPayload.write(frame, isFirst: isFirst, to: &bytes) },
        parse: { payload throws(RTPError) in try NumberedPayload.parse(payload) })
}

/// The wire format of ``PayloadFormat/numbered``.
///
/// ```text
///  0 1 2 3 4 5 6 7
/// +-+-+-+-+-+-+-+-+
/// |S|K|D|0|TID| R |   S: first packet of its frame; K: key frame; D: discardable; R: number of distances
/// +-+-+-+-+-+-+-+-+
/// | frame number  |   16 bits, most significant byte first
/// |               |
/// +-+-+-+-+-+-+-+-+
/// | distance      |   R times: how many frames back a referenced frame is, 1 to 255
/// +-+-+-+-+-+-+-+-+
/// | width         |   with S and K: 16 bits each, most significant byte first
/// |               |
/// | height        |
/// |               |
/// +-+-+-+-+-+-+-+-+
/// ```
///
/// The frame's bytes follow, at least one. Senders set the unnamed bit to 0; receivers ignore it.
enum NumberedPayload {
    private static let startBit: UInt8 = 0x80
    private static let keyBit: UInt8 = 0x40
    private static let discardableBit: UInt8 = 0x20

    static func write(_ frame: PayloadFrame, isFirst: Bool, to bytes: inout [UInt8]) {
        precondition(frame.temporalIndex < 4, "temporal layer \(frame.temporalIndex) in 2 bits")
        var flags = frame.temporalIndex << 2 | UInt8(frame.distances.count)
        if isFirst { flags |= startBit }
        if frame.isKey { flags |= keyBit }
        if frame.isDiscardable { flags |= discardableBit }
        bytes.append(flags)
        append(frame.number ?? 0, to: &bytes)
        for index in 0..<frame.distances.count { bytes.append(frame.distances[index]) }
        guard isFirst, frame.isKey else { return }
        append(frame.width, to: &bytes)
        append(frame.height, to: &bytes)
    }

    private static func append(_ value: UInt16, to bytes: inout [UInt8]) {
        bytes.append(UInt8(value >> 8))
        bytes.append(UInt8(truncatingIfNeeded: value))
    }

    static func parse(_ payload: Span<UInt8>) throws(RTPError) -> PayloadPiece {
        var reader = ByteReader(payload)
        let flags = try reader.uint8()
        var frame = PayloadFrame(
            number: try reader.uint16(), isKey: flags & keyBit != 0, isDiscardable: flags & discardableBit != 0,
            temporalIndex: flags >> 2 & 3)
        for _ in 0..<(flags & 3) {
            let distance = try reader.uint8()
            guard distance > 0 else { throw .invalidReference(distance: 0) }
            frame.distances.append(distance)
        }
        let startsFrame = flags & startBit != 0
        if startsFrame, frame.isKey {
            frame.width = try reader.uint16()
            frame.height = try reader.uint16()
        }
        guard reader.remaining > 0 else { throw .emptyPayload }
        return PayloadPiece(frame, startsFrame: startsFrame, offset: reader.position)
    }
}
