import RillCore
import RillRTP

/// Turns what the encoder says of its frames into what the VP9 descriptor says (RFC 9628 §4.2): picture IDs of 15 bits;
/// for streams of several temporal layers TID and U; in flexible mode P_DIFF, else TL0PICIDX; and with each key frame the
/// scalability structure.
struct VP9FrameNumbering {
    private let mode: VP9Mode
    private var counters: PictureCounters
    /// The group of pictures that the structure tells: in non-flexible mode of a stream with layers.
    private let group: [VP9ScalabilityStructure.Picture]?
    /// The structure of the newest key frame.
    private var structure: [UInt8] = []

    init(_ settings: RTPStreamSettings) {
        mode = settings.vp9Mode
        counters = PictureCounters(settings)
        let pattern = TemporalPattern(layerCount: settings.temporalLayerCount)
        group =
            mode == .nonFlexible && counters.hasLayers ? pattern?.steps.map(VP9ScalabilityStructure.Picture.init) : nil
        structure.reserveCapacity(
            VP9ScalabilityStructure.maximumByteCount(layers: 1, pictures: group?.count ?? 0))
    }

    /// The descriptor of the next frame; ``structure(for:)`` has what goes with it.
    ///
    /// A reference that the descriptor cannot tell (more than three, or 128 pictures and more before the frame) is the
    /// programmer's mistake.
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

    /// The scalability structure that goes with the frame: a key frame's; no bytes for others.
    func structure(for frame: EncodedFrame) -> [UInt8] { frame.isKey ? structure : [] }

    private mutating func writeStructure(_ resolution: Resolution) {
        let size = VP9ScalabilityStructure.Size(
            width: UInt16(clamping: resolution.width), height: UInt16(clamping: resolution.height))
        let sizes: InlineArray<1, VP9ScalabilityStructure.Size> = [size]
        let group = group
        structure.removeAll(keepingCapacity: true)
        let room = VP9ScalabilityStructure.maximumByteCount(layers: 1, pictures: group?.count ?? 0)
        structure.append(addingCapacity: room) { output in
            VP9ScalabilityStructure.write(sizes: sizes.span, pictures: group?.span, into: &output)
        }
    }
}

extension VP9ScalabilityStructure.Picture {
    /// A step of a pattern. From every picture of our patterns the higher layers may be taken up.
    fileprivate init(_ step: TemporalPattern.Step) {
        self.init(temporalIndex: UInt8(step.temporalIndex), isSwitchingUpPoint: true)
        for distance in step.distances { references.append(UInt8(distance)) }
    }
}
