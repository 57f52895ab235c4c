import RillCore

/// Converts the encoder's frame properties to VP9 payload descriptors (RFC 9628 §4.2).
///
/// Descriptors have 15-bit picture IDs; for streams with several temporal layers, TID and U; in flexible mode P_DIFF,
/// otherwise TL0PICIDX. Each key frame has the scalability structure.
struct VP9FrameNumbering {
    private let mode: ReferenceSignaling
    private var counters: PictureCounters
    /// The group of pictures in the structure; only in non-flexible mode with layers.
    private let group: [VP9ScalabilityStructure.Picture]?
    /// The structure of the newest key frame.
    private var structure: [UInt8] = []

    init(_ settings: FrameNumbering.Settings) {
        mode = settings.referenceSignaling
        counters = PictureCounters(settings)
        let pattern = TemporalPattern(layerCount: settings.temporalLayerCount)
        group =
            mode == .nonFlexible && counters.hasLayers ? pattern?.steps.map(VP9ScalabilityStructure.Picture.init) : nil
        structure.reserveCapacity(
            VP9ScalabilityStructure.maximumByteCount(layers: 1, pictures: group?.count ?? 0))
    }

    /// Returns the descriptor of the next frame; ``structure(for:)`` returns its structure.
    ///
    /// Traps if the descriptor cannot express a reference: more than three, or more than 127 pictures back.
    mutating func descriptor(for frame: EncodedFrame) -> VP9PayloadDescriptor {
        let index = counters.advance(to: frame)
        if frame.isKey { writeStructure(frame.resolution) }
        var descriptor = VP9PayloadDescriptor(
            pictureID: counters.pictureID, isInterPicturePredicted: frame.references.count > 0,
            isFlexible: mode == .flexible, startsFrame: true, endsFrame: true)
        if counters.hasLayers {
            descriptor.layer = VP9PayloadDescriptor.Layer(
                temporalIndex: index, isSwitchingUpPoint: frame.isSwitchingUpPoint)
            if mode == .nonFlexible { descriptor.tl0PictureIndex = counters.tl0PictureIndex }
        }
        if mode == .flexible {
            for index in 0..<frame.references.count {
                let difference = frame.number &- frame.references[index]
                precondition((1...127).contains(difference), "VP9 cannot refer \(difference) pictures back")
                descriptor.references.append(UInt8(difference))
            }
        }
        return descriptor
    }

    /// Advances to the next frame, and plans its packets.
    mutating func packetizer(
        for frame: EncodedFrame, byteCount: Int, _ header: RTPHeader, _ sizes: FrameNumbering.Sizes
    ) -> FramePacketizer {
        let descriptor = descriptor(for: frame)
        let structure = structure(for: frame)
        return .vp9(
            VP9Packetizer(
                frameByteCount: byteCount, header: header, descriptor: descriptor,
                scalabilityStructureByteCount: structure.count, maximumPacketByteCount: sizes.maximumPacket,
                headerExtensionByteCount: sizes.headerExtension, reservedByteCount: sizes.reserved),
            structure: structure)
    }

    /// Returns the scalability structure for the frame: a key frame's; empty for other frames.
    func structure(for frame: EncodedFrame) -> [UInt8] { frame.isKey ? structure : [] }

    private mutating func writeStructure(_ resolution: Resolution) {
        let size = VP9ScalabilityStructure.Size(
            width: UInt16(clamping: resolution.width), height: UInt16(clamping: resolution.height))
        let sizes: InlineArray<1, VP9ScalabilityStructure.Size> = [size]
        let group = group
        structure.removeAll(keepingCapacity: true)
        // A frame that was forwarded unread may not have told it.
        guard resolution != .unknown else { return }
        let room = VP9ScalabilityStructure.maximumByteCount(layers: 1, pictures: group?.count ?? 0)
        structure.append(addingCapacity: room) { output in
            VP9ScalabilityStructure.write(sizes: sizes.span, pictures: group?.span, into: &output)
        }
    }
}

extension VP9ScalabilityStructure.Picture {
    /// A step of a pattern. In our patterns, a receiver may switch up to higher layers at every picture.
    fileprivate init(_ step: TemporalPattern.Step) {
        self.init(temporalIndex: UInt8(step.temporalIndex), isSwitchingUpPoint: true)
        for distance in step.distances { references.append(UInt8(distance)) }
    }
}
