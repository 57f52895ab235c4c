import RillRTP

/// What each packet of a frame says of the frame's place among the others.
struct FrameLabel: Equatable {
    /// Counts the frames, modulo two to the power of its width; `nil` if the sender does not say.
    var pictureID: PictureID?
    /// The temporal layer; `nil` where the sender does not say enough to find references by it.
    var layer: Layer?
    /// The frames that it refers to, where the sender names them; `nil` where they have to be inferred.
    private(set) var references: References?
    /// Its packets name no references: a scalability structure does, if one does.
    private var isOfGroup = false
    /// No later frame refers to this one.
    var isDiscardable: Bool

    /// A wrapping count of frames.
    struct PictureID: Equatable {
        var value: UInt16
        var bitWidth: UInt8

        init(value: UInt16, bitWidth: UInt8) {
            self.value = value
            self.bitWidth = bitWidth
        }

        init(_ id: RillRTP.PictureID) {
            value = id.value
            bitWidth = UInt8(id.bitWidth)
        }

        /// How far this one has counted on from `old`: 1 for the next frame. `nil` if it stands still, has jumped back,
        /// or counts in another width.
        func step(from old: PictureID) -> Int64? {
            guard bitWidth == old.bitWidth else { return nil }
            let modulus = 1 << Int(bitWidth)
            let step = (Int(value) - Int(old.value)) & (modulus - 1)
            return step > 0 && step < modulus / 2 ? Int64(step) : nil
        }
    }

    /// A place in temporal layers, as RFC 7741 §4.2 and RFC 9628 §4.2 tell it.
    struct Layer: Equatable {
        /// TID: 0 is the base.
        var index: UInt8
        /// Y of VP8: it refers to the base layer alone.
        var isSync: Bool
        /// TL0PICIDX: which frame of the base layer it is, or builds on. Not there where references are named.
        var baseIndex: UInt8?
    }

    /// P_DIFF of VP9: how many pictures before it those lie that a frame refers to.
    struct References: Equatable, BitwiseCopyable {
        private(set) var count: UInt8 = 0
        private var distances: (UInt8, UInt8, UInt8) = (0, 0, 0)

        init() {}

        init(_ differences: VP9PictureDifferences) {
            count = UInt8(differences.count)
            if count > 0 { distances.0 = differences[0] }
            if count > 1 { distances.1 = differences[1] }
            if count > 2 { distances.2 = differences[2] }
        }

        init(_ told: FrameDistances) {
            count = UInt8(told.count)
            if count > 0 { distances.0 = told[0] }
            if count > 1 { distances.1 = told[1] }
            if count > 2 { distances.2 = told[2] }
        }

        subscript(index: UInt8) -> Int64 {
            switch index {
            case 0: Int64(distances.0)
            case 1: Int64(distances.1)
            default: Int64(distances.2)
            }
        }

        static func == (a: References, b: References) -> Bool {
            a.count == b.count && a.distances == b.distances
        }
    }

    /// The temporal layer's number; 0 where there are no layers.
    var layerIndex: Int { Int(layer?.index ?? 0) }

    /// What a VP8 payload descriptor says.
    init(_ descriptor: VP8PayloadDescriptor) {
        isDiscardable = descriptor.isNonReference
        pictureID = descriptor.pictureID.map { PictureID($0) }
        if let temporal = descriptor.temporalLayer, let baseIndex = descriptor.tl0PictureIndex {
            layer = Layer(index: temporal.index & 3, isSync: temporal.isLayerSync, baseIndex: baseIndex)
        }
    }

    /// What a VP9 payload descriptor says.
    ///
    /// - Parameter groups: what scalability structures say of references, for streams whose packets do not.
    init(_ descriptor: VP9PayloadDescriptor, _ groups: inout GroupsOfPictures) {
        // The format has no bit that says so.
        isDiscardable = false
        pictureID = descriptor.pictureID.map { PictureID($0) }
        if let told = descriptor.layer {
            layer = Layer(
                index: FrameLabel.layerIndex(told.temporalIndex), isSync: false, baseIndex: descriptor.tl0PictureIndex)
        }
        guard pictureID != nil else { return }
        if descriptor.isFlexible || !descriptor.isInterPicturePredicted {
            references = References(descriptor.references)
        } else {
            isOfGroup = true
            refer(by: &groups)
        }
    }

    /// What the packets of an own codec say.
    ///
    /// Without distances a frame needs the one before it, whatever its temporal layer is: it counts as one of layer 0 then.
    init(_ told: PayloadFrame) {
        isDiscardable = told.isDiscardable
        guard let number = told.number else { return }
        pictureID = PictureID(value: number, bitWidth: 16)
        guard told.isKey || told.distances.count > 0 else { return }
        references = References(told.distances)
        layer = Layer(index: min(told.temporalIndex, 3), isSync: false, baseIndex: nil)
    }

    /// Finds the references of a frame whose packets name none, by the groups of pictures that are known now.
    mutating func refer(by groups: inout GroupsOfPictures) {
        // Without TL0PICIDX nothing would tell whether the structure is still the one that holds.
        guard isOfGroup, let pictureID, let layer, layer.baseIndex != nil else { return }
        references = groups.references(of: pictureID, layer: layer.index)
    }

    /// VP9's temporal layer `told`, 0 to 7, as one of those that are told apart.
    static func layerIndex(_ told: UInt8) -> UInt8 {
        min(told, UInt8(ReferenceFinder.layerCount - 1))
    }
}
