import RillRTP

/// What each packet of a frame says of the frame's place among the others.
struct FrameLabel: Equatable {
    /// Counts the frames, modulo two to the power of its width; `nil` if the sender does not say.
    var pictureID: PictureID?
    /// The temporal layer; `nil` where the sender does not say enough to find references by it.
    var layer: Layer?
    /// No later frame refers to this one.
    var isDiscardable: Bool

    /// A wrapping count of frames.
    struct PictureID: Equatable {
        var value: UInt16
        var bitWidth: UInt8

        /// How far this one has counted on from `old`: 1 for the next frame. `nil` if it stands still, has jumped back,
        /// or counts in another width.
        func step(from old: PictureID) -> Int64? {
            guard bitWidth == old.bitWidth else { return nil }
            let modulus = 1 << Int(bitWidth)
            let step = (Int(value) - Int(old.value)) & (modulus - 1)
            return step > 0 && step < modulus / 2 ? Int64(step) : nil
        }
    }

    /// A place in temporal layers, as RFC 7741 §4.2 tells it.
    struct Layer: Equatable {
        /// TID: 0 is the base.
        var index: UInt8
        /// Y: it refers to the base layer alone.
        var isSync: Bool
        /// TL0PICIDX: which frame of the base layer it is, or builds on.
        var baseIndex: UInt8
    }

    /// The temporal layer's number; 0 where there are no layers.
    var layerIndex: Int { Int(layer?.index ?? 0) }

    /// What a VP8 payload descriptor says.
    init(_ descriptor: VP8PayloadDescriptor) {
        isDiscardable = descriptor.isNonReference
        if let id = descriptor.pictureID { pictureID = PictureID(value: id.value, bitWidth: UInt8(id.bitWidth)) }
        if let temporal = descriptor.temporalLayer, let baseIndex = descriptor.tl0PictureIndex {
            layer = Layer(index: temporal.index & 3, isSync: temporal.isLayerSync, baseIndex: baseIndex)
        }
    }
}
