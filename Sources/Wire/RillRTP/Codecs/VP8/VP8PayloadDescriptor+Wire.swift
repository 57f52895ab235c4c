extension VP8PayloadDescriptor {
    // The required first byte.
    @inlinable static var extendedBit: UInt8 { 0x80 }
    @inlinable static var nonReferenceBit: UInt8 { 0x20 }
    @inlinable static var startBit: UInt8 { 0x10 }
    @inlinable static var partitionMask: UInt8 { 0x07 }
    // The X byte.
    @inlinable static var pictureIDBit: UInt8 { 0x80 }
    @inlinable static var tl0PictureIndexBit: UInt8 { 0x40 }
    @inlinable static var temporalLayerBit: UInt8 { 0x20 }
    @inlinable static var keyIndexBit: UInt8 { 0x10 }
    // The T/K byte.
    @inlinable static var layerSyncBit: UInt8 { 0x20 }
    @inlinable static var keyIndexMask: UInt8 { 0x1F }
    /// The size of the first byte, X, a two-byte PictureID, TL0PICIDX, and T/K.
    @inlinable static var maximumByteCount: Int { 6 }

    /// Whether the X byte and any optional field are present.
    private var isExtended: Bool {
        pictureID != nil || tl0PictureIndex != nil || temporalLayer != nil || keyIndex != nil
    }

    /// The size of the descriptor on the wire in bytes: 1 to 6.
    public var byteCount: Int {
        guard isExtended else { return 1 }
        let hasLayerByte = temporalLayer != nil || keyIndex != nil
        return 2 + (pictureID?.byteCount ?? 0) + (tl0PictureIndex != nil ? 1 : 0) + (hasLayerByte ? 1 : 0)
    }

    /// Reads the descriptor at the reader's position. Ignores reserved bits, as the RFC requires.
    ///
    /// - Throws: `truncated`.
    @inlinable @inline(__always)  // Hot path: runs for every packet.
    init(_ reader: inout ByteReader) throws(RTPError) {
        let first = try reader.uint8()
        self.init(
            isNonReference: first & Self.nonReferenceBit != 0,
            startsPartition: first & Self.startBit != 0,
            partitionIndex: first & Self.partitionMask)
        if first & Self.extendedBit != 0 {
            let fields = try reader.uint8()
            if fields & Self.pictureIDBit != 0 { pictureID = try PictureID.parse(&reader) }
            if fields & Self.tl0PictureIndexBit != 0 { tl0PictureIndex = try reader.uint8() }
            if fields & (Self.temporalLayerBit | Self.keyIndexBit) != 0 {
                let layer = try reader.uint8()
                if fields & Self.temporalLayerBit != 0 {
                    temporalLayer = TemporalLayer(index: layer >> 6, isLayerSync: layer & Self.layerSyncBit != 0)
                }
                if fields & Self.keyIndexBit != 0 { keyIndex = layer & Self.keyIndexMask }
            }
        }
    }

    /// Skips the descriptor at the start of an RTP payload. For packets whose descriptor fields are not needed.
    ///
    /// - Returns: whether the packet starts a frame, and the size of the descriptor in bytes.
    /// - Throws: `truncated`, or `emptyPayload` if no frame data follows.
    @inlinable @inline(__always)  // Hot path: runs for every packet.
    public static func skim(_ payload: Span<UInt8>) throws(RTPError) -> (startsFrame: Bool, byteCount: Int) {
        // With more bytes than the longest descriptor, all its fields and at least one byte after it are present.
        guard payload.count > maximumByteCount else { return try skimShort(payload) }
        let first = payload[0]
        var byteCount = 1
        if first & extendedBit != 0 {
            let fields = payload[1]
            byteCount = 2
            if fields & pictureIDBit != 0 { byteCount &+= payload[2] & PictureID.longBit != 0 ? 2 : 1 }
            if fields & tl0PictureIndexBit != 0 { byteCount &+= 1 }
            if fields & (temporalLayerBit | keyIndexBit) != 0 { byteCount &+= 1 }
        }
        return (first & (startBit | partitionMask) == startBit, byteCount)
    }

    @usableFromInline
    static func skimShort(_ payload: Span<UInt8>) throws(RTPError) -> (startsFrame: Bool, byteCount: Int) {
        let parsed = try VP8Payload(parsing: payload)
        return (parsed.descriptor.startsFrame, payload.count - parsed.piece.count)
    }

    /// Appends the descriptor; reserved bits are zero.
    ///
    /// Traps unless `output` has room for `byteCount` bytes and every field fits its bits.
    @_lifetime(output: copy output)
    public func write(into output: inout OutputSpan<UInt8>) { bytes.write(into: &output) }

    /// The descriptor on the wire. Traps unless every field fits its bits.
    var bytes: DescriptorBytes {
        precondition(partitionIndex <= VP8PayloadDescriptor.partitionMask, "partition \(partitionIndex): 0 to 7 exist")
        var first = partitionIndex
        if isExtended { first |= VP8PayloadDescriptor.extendedBit }
        if isNonReference { first |= VP8PayloadDescriptor.nonReferenceBit }
        if startsPartition { first |= VP8PayloadDescriptor.startBit }
        var bytes = DescriptorBytes(first)
        guard isExtended else { return bytes }

        var fields: UInt8 = 0
        if pictureID != nil { fields |= VP8PayloadDescriptor.pictureIDBit }
        if tl0PictureIndex != nil { fields |= VP8PayloadDescriptor.tl0PictureIndexBit }
        if temporalLayer != nil { fields |= VP8PayloadDescriptor.temporalLayerBit }
        if keyIndex != nil { fields |= VP8PayloadDescriptor.keyIndexBit }
        bytes.append(fields)

        if let pictureID { bytes.append(pictureID) }
        if let tl0PictureIndex { bytes.append(tl0PictureIndex) }
        guard temporalLayer != nil || keyIndex != nil else { return bytes }
        var layer: UInt8 = 0
        if let temporalLayer {
            precondition(temporalLayer.index < 4, "temporal layer \(temporalLayer.index): 0 to 3 exist")
            layer |= temporalLayer.index << 6
            if temporalLayer.isLayerSync { layer |= VP8PayloadDescriptor.layerSyncBit }
        }
        if let keyIndex {
            precondition(keyIndex <= VP8PayloadDescriptor.keyIndexMask, "key index \(keyIndex): 0 to 31 exist")
            layer |= keyIndex
        }
        bytes.append(layer)
        return bytes
    }
}
