extension VP8PayloadDescriptor {
    // The first byte.
    private static let extendedBit: UInt8 = 0x80
    private static let nonReferenceBit: UInt8 = 0x20
    private static let startBit: UInt8 = 0x10
    private static let partitionMask: UInt8 = 0x07
    // The X byte.
    private static let pictureIDBit: UInt8 = 0x80
    private static let tl0PictureIndexBit: UInt8 = 0x40
    private static let temporalLayerBit: UInt8 = 0x20
    private static let keyIndexBit: UInt8 = 0x10
    // The I, and the T/K byte.
    private static let longPictureIDBit: UInt8 = 0x80
    private static let layerSyncBit: UInt8 = 0x20
    private static let keyIndexMask: UInt8 = 0x1F

    /// Reads the descriptor at the front of an RTP payload; the frame's bytes begin at `byteCount`.
    ///
    /// Reserved bits are passed over, as the RFC asks.
    ///
    /// - Returns: the descriptor, and how many bytes it takes.
    /// - Throws: `truncated`, or `emptyPayload` when nothing follows.
    public static func parse(
        _ payload: Span<UInt8>
    ) throws(RTPError) -> (descriptor: VP8PayloadDescriptor, byteCount: Int) {
        var reader = ByteReader(payload)
        let first = try reader.uint8()
        var descriptor = VP8PayloadDescriptor(
            isNonReference: first & nonReferenceBit != 0, startsPartition: first & startBit != 0,
            partitionIndex: first & partitionMask)
        if first & extendedBit != 0 {
            let fields = try reader.uint8()
            if fields & pictureIDBit != 0 {
                let high = try reader.uint8()
                if high & longPictureIDBit != 0 {
                    descriptor.pictureID = .long(UInt16(high & ~longPictureIDBit) << 8 | UInt16(try reader.uint8()))
                } else {
                    descriptor.pictureID = .short(high)
                }
            }
            if fields & tl0PictureIndexBit != 0 { descriptor.tl0PictureIndex = try reader.uint8() }
            if fields & (temporalLayerBit | keyIndexBit) != 0 {
                let layer = try reader.uint8()
                if fields & temporalLayerBit != 0 {
                    descriptor.temporalLayer = TemporalLayer(index: layer >> 6, isLayerSync: layer & layerSyncBit != 0)
                }
                if fields & keyIndexBit != 0 { descriptor.keyIndex = layer & keyIndexMask }
            }
        }
        guard reader.remaining > 0 else { throw .emptyPayload }
        return (descriptor, reader.position)
    }
}
