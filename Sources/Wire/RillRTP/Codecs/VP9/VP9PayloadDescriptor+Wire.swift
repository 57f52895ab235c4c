extension VP9PayloadDescriptor {
    // The required first byte.
    private static let pictureIDBit: UInt8 = 0x80
    private static let interPictureBit: UInt8 = 0x40
    private static let layerBit: UInt8 = 0x20
    private static let flexibleBit: UInt8 = 0x10
    static let startBit: UInt8 = 0x08
    static let endBit: UInt8 = 0x04
    static let structureBit: UInt8 = 0x02
    private static let notReferenceBit: UInt8 = 0x01
    // The L byte: TID and SID have three bits, each followed by its flag.
    private static let switchingUpBit: UInt8 = 0x10
    private static let interLayerBit: UInt8 = 0x01
    private static let layerIndexMask: UInt8 = 0x07
    // A P_DIFF byte: whether another one follows.
    private static let moreBit: UInt8 = 0x01

    /// The size of the descriptor on the wire in bytes, without the scalability structure: 1 to 7.
    public var byteCount: Int {
        1 + (pictureID?.byteCount ?? 0) + (layer != nil ? 1 : 0) + (tl0PictureIndex != nil ? 1 : 0) + references.count
    }

    /// Reads the descriptor up to the scalability structure.
    ///
    /// - Throws: `truncated`, `missingPictureID` or `tooManyReferences`.
    @inline(__always)  // Hot path: runs for every packet.
    static func parse(
        _ reader: inout ByteReader
    ) throws(RTPError) -> (descriptor: VP9PayloadDescriptor, hasScalabilityStructure: Bool) {
        let first = try reader.uint8()
        var descriptor = VP9PayloadDescriptor(
            isInterPicturePredicted: first & interPictureBit != 0, isFlexible: first & flexibleBit != 0,
            startsFrame: first & startBit != 0, endsFrame: first & endBit != 0,
            isNotReferenceForUpperLayers: first & notReferenceBit != 0)
        if first & pictureIDBit != 0 {
            descriptor.pictureID = try PictureID.parse(&reader)
        } else if descriptor.isFlexible {
            throw .missingPictureID
        }
        if first & layerBit != 0 {
            let indices = try reader.uint8()
            descriptor.layer = Layer(
                temporalIndex: indices >> 5, isSwitchingUpPoint: indices & switchingUpBit != 0,
                spatialIndex: indices >> 1 & layerIndexMask, isInterLayerPredicted: indices & interLayerBit != 0)
            if !descriptor.isFlexible { descriptor.tl0PictureIndex = try reader.uint8() }
        }
        if descriptor.isFlexible && descriptor.isInterPicturePredicted {
            descriptor.references = try parseReferences(&reader)
        }
        return (descriptor, first & structureBit != 0)
    }

    private static func parseReferences(_ reader: inout ByteReader) throws(RTPError) -> FrameDistances {
        var references = FrameDistances()
        while true {
            let byte = try reader.uint8()
            references.append(byte >> 1)
            guard byte & moreBit != 0 else { return references }
            guard references.count < FrameDistances.capacity else {
                throw .tooManyReferences(maximum: FrameDistances.capacity)
            }
        }
    }

    /// Appends the descriptor. If it announces a scalability structure, the caller appends that.
    ///
    /// Traps unless `output` has room for `byteCount` bytes, every field fits its bits, and the mode has every field
    /// that is set (see each).
    @_lifetime(output: copy output)
    func write(into output: inout OutputSpan<UInt8>, hasScalabilityStructure: Bool) {
        bytes.write(
            settingBits: hasScalabilityStructure ? VP9PayloadDescriptor.structureBit : 0, into: &output)
    }

    /// The descriptor on the wire, without a scalability structure. Traps as ``write(into:hasScalabilityStructure:)``.
    var bytes: DescriptorBytes {
        precondition(!isFlexible || pictureID != nil, "flexible mode needs a picture ID")
        precondition(
            (tl0PictureIndex != nil) == (!isFlexible && layer != nil),
            "TL0PICIDX goes with the layer indices in non-flexible mode")
        precondition(
            (references.count > 0) == (isFlexible && isInterPicturePredicted),
            "\(references.count) P_DIFF: they go with inter-picture prediction in flexible mode")
        typealias Descriptor = VP9PayloadDescriptor
        var first: UInt8 = 0
        if pictureID != nil { first |= Descriptor.pictureIDBit }
        if isInterPicturePredicted { first |= Descriptor.interPictureBit }
        if layer != nil { first |= Descriptor.layerBit }
        if isFlexible { first |= Descriptor.flexibleBit }
        if startsFrame { first |= Descriptor.startBit }
        if endsFrame { first |= Descriptor.endBit }
        if isNotReferenceForUpperLayers { first |= Descriptor.notReferenceBit }
        var bytes = DescriptorBytes(first)
        if let pictureID { bytes.append(pictureID) }
        if let layer {
            precondition(
                layer.temporalIndex <= Descriptor.layerIndexMask && layer.spatialIndex <= Descriptor.layerIndexMask,
                "temporal layer \(layer.temporalIndex), spatial layer \(layer.spatialIndex): 0 to 7 exist")
            var indices = layer.temporalIndex << 5 | layer.spatialIndex << 1
            if layer.isSwitchingUpPoint { indices |= Descriptor.switchingUpBit }
            if layer.isInterLayerPredicted { indices |= Descriptor.interLayerBit }
            bytes.append(indices)
        }
        if let tl0PictureIndex { bytes.append(tl0PictureIndex) }
        for index in 0..<references.count {
            precondition(references[index] < 1 << 7, "P_DIFF \(references[index]) in 7 bits")
            let isLast = index == references.count - 1
            bytes.append(references[index] << 1 | (isLast ? 0 : Descriptor.moreBit))
        }
        return bytes
    }
}
