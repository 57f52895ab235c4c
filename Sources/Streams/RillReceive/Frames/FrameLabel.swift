import RillRTP

/// What each packet of a frame says about the frame's position in the stream.
struct FrameLabel: Equatable {
    /// Counts the frames, modulo two to the power of its width; `nil` if the sender does not send it.
    var pictureID: PictureID?
    /// The temporal layer; `nil` if the sender does not send enough to find references by it.
    var layer: Layer?
    /// The referenced frames, if the sender lists them; `nil` if they must be inferred.
    private(set) var references: References?
    /// Its packets list no references, but a scalability structure may.
    private var isOfGroup = false
    /// No later frame refers to this one.
    var isDiscardable: Bool

    /// A wrapping count of frames.
    typealias PictureID = FramePayload.Counter
    /// The distances to the earlier frames that a frame refers to.
    typealias References = FrameDistances

    /// A position in temporal layers (RFC 7741 §4.2, RFC 9628 §4.2).
    struct Layer: Equatable {
        /// TID: 0 is the base layer.
        var index: UInt8
        /// Y of RFC 7741: the frame only refers to the base layer.
        var isSync: Bool
        /// TL0PICIDX: the base layer frame that it is, or builds on; `nil` if references are listed.
        var baseIndex: UInt8?
    }

    /// The index of the temporal layer; 0 without layers.
    var layerIndex: Int { Int(layer?.index ?? 0) }

    /// A frame whose packets say nothing.
    init() { isDiscardable = false }

    /// Reads a packet's payload.
    ///
    /// - Parameters:
    ///   - payload: what it says.
    ///   - groups: the references of groups of pictures, for streams whose packets do not list them.
    init(_ payload: FramePayload, _ groups: inout GroupsOfPictures) {
        isDiscardable = payload.isDiscardable
        pictureID = payload.counter
        if case .listed(let distances) = payload.references { references = distances }
        if let index = payload.temporalIndex, payload.baseIndex != nil || references != nil {
            layer = Layer(
                index: FrameLabel.layerIndex(index), isSync: payload.isLayerSync, baseIndex: payload.baseIndex)
        }
        guard case .ofGroup = payload.references else { return }
        isOfGroup = true
        refer(by: &groups)
    }

    /// Finds the references of a frame whose packets list none, from the groups of pictures that are known now.
    mutating func refer(by groups: inout GroupsOfPictures) {
        // Without TL0PICIDX nothing would show whether the structure still applies.
        guard isOfGroup, let pictureID, let layer, layer.baseIndex != nil else { return }
        references = groups.references(of: pictureID, layer: layer.index)
    }

    /// Maps a temporal layer, 0 to 7, to one of the supported layers.
    static func layerIndex(_ told: UInt8) -> UInt8 {
        min(told, UInt8(ReferenceFinder.layerCount - 1))
    }
}

extension FramePayload.Counter {
    /// The distance from `old` to this ID: 1 for the next frame. `nil` if they are equal, if it jumped back, or
    /// if the widths differ.
    func step(from old: FramePayload.Counter) -> Int64? {
        guard bitWidth == old.bitWidth else { return nil }
        let modulus = 1 << Int(bitWidth)
        let step = (Int(value) - Int(old.value)) & (modulus - 1)
        return step > 0 && step < modulus / 2 ? Int64(step) : nil
    }
}
