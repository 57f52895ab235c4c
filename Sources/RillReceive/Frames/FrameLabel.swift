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

        /// The distance from `old` to this ID: 1 for the next frame. `nil` if they are equal, if it jumped back, or
        /// if the widths differ.
        func step(from old: PictureID) -> Int64? {
            guard bitWidth == old.bitWidth else { return nil }
            let modulus = 1 << Int(bitWidth)
            let step = (Int(value) - Int(old.value)) & (modulus - 1)
            return step > 0 && step < modulus / 2 ? Int64(step) : nil
        }
    }

    /// A position in temporal layers (RFC 7741 §4.2, RFC 9628 §4.2).
    struct Layer: Equatable {
        /// TID: 0 is the base layer.
        var index: UInt8
        /// VP8's Y bit: the frame only refers to the base layer.
        var isSync: Bool
        /// TL0PICIDX: the base layer frame that it is, or builds on; `nil` if references are listed.
        var baseIndex: UInt8?
    }

    /// VP9's P_DIFF: the distances to the earlier pictures that a frame refers to.
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

    /// The index of the temporal layer; 0 without layers.
    var layerIndex: Int { Int(layer?.index ?? 0) }

    /// Reads a VP8 payload descriptor.
    init(_ descriptor: VP8PayloadDescriptor) {
        isDiscardable = descriptor.isNonReference
        pictureID = descriptor.pictureID.map { PictureID($0) }
        if let temporal = descriptor.temporalLayer, let baseIndex = descriptor.tl0PictureIndex {
            layer = Layer(index: temporal.index & 3, isSync: temporal.isLayerSync, baseIndex: baseIndex)
        }
    }

    /// Reads a VP9 payload descriptor.
    ///
    /// - Parameters:
    ///   - descriptor: the descriptor.
    ///   - groups: the references from scalability structures, for streams whose packets do not list them.
    init(_ descriptor: VP9PayloadDescriptor, _ groups: inout GroupsOfPictures) {
        // The format has no bit for this.
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

    /// Reads the packets of a custom codec.
    ///
    /// A frame without distances needs the previous frame, whatever its temporal layer is: it then counts as layer 0.
    init(_ told: PayloadFrame) {
        isDiscardable = told.isDiscardable
        guard let number = told.number else { return }
        pictureID = PictureID(value: number, bitWidth: 16)
        guard told.isKey || told.distances.count > 0 else { return }
        references = References(told.distances)
        layer = Layer(index: min(told.temporalIndex, 3), isSync: false, baseIndex: nil)
    }

    /// Finds the references of a frame whose packets list none, from the groups of pictures that are known now.
    mutating func refer(by groups: inout GroupsOfPictures) {
        // Without TL0PICIDX nothing would show whether the structure still applies.
        guard isOfGroup, let pictureID, let layer, layer.baseIndex != nil else { return }
        references = groups.references(of: pictureID, layer: layer.index)
    }

    /// Maps VP9's temporal layer `told`, 0 to 7, to one of the supported layers.
    static func layerIndex(_ told: UInt8) -> UInt8 {
        min(told, UInt8(ReferenceFinder.layerCount - 1))
    }
}
