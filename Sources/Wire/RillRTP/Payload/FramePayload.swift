/// What a packet's payload says about its frame, whatever the codec: the result of ``FrameFormat/parse(_:)``.
package struct FramePayload: BitwiseCopyable {
    /// Whether it starts a frame: a picture with all its spatial layers.
    package var startsFrame: Bool
    /// Whether it starts the frame of a spatial layer.
    package var startsLayer: Bool
    /// Whether it ends the frame of a spatial layer; `nil` if the format does not show it.
    package var endsLayer: Bool?
    /// Whether it starts a key frame.
    package var isKey = false
    /// Whether no later frame refers to this one.
    package var isDiscardable = false
    /// Counts the frames.
    package var counter: Counter?
    /// TID: the temporal layer, 0 to 7; 0 is the base layer.
    package var temporalIndex: UInt8?
    /// Y of RFC 7741: the frame only refers to the base layer.
    package var isLayerSync = false
    /// TL0PICIDX: the base layer frame that it is, or builds on.
    package var baseIndex: UInt8?
    /// The spatial layer, 0 to 7.
    package var spatialIndex: UInt8?
    /// How the frames are found that this one refers to.
    package var references = References.inferred
    /// Whether a description of the group of pictures comes with it: ``FrameFormat/group(in:)``.
    package var hasGroup = false
    /// The size of a key frame's picture, if the payload says it; otherwise 0.
    package var width: UInt16 = 0, height: UInt16 = 0
    /// The offset of the frame's bytes, at least one, in the payload.
    package var offset: Int

    /// A wrapping count of frames.
    package struct Counter: Equatable, BitwiseCopyable, Sendable {
        package var value: UInt16
        package var bitWidth: UInt8

        package init(value: UInt16, bitWidth: UInt8) {
            self.value = value
            self.bitWidth = bitWidth
        }

        package init(_ id: PictureID) { self.init(value: id.value, bitWidth: UInt8(id.bitWidth)) }
    }

    /// The frames that a frame refers to.
    package enum References: BitwiseCopyable {
        /// Nothing says it.
        case inferred
        /// The packets list them.
        case listed(FrameDistances)
        /// A group of pictures defines them.
        case ofGroup
    }

    init(startsFrame: Bool, startsLayer: Bool? = nil, offset: Int) {
        self.startsFrame = startsFrame
        self.startsLayer = startsLayer ?? startsFrame
        self.offset = offset
    }
}

/// A repeating group of pictures, and how they refer to each other.
package struct PictureGroup: Sendable {
    /// The number of pictures; 0 if there is no group, or it is too long.
    package private(set) var count = 0
    /// The pictures.
    package private(set) var pictures = InlineArray<16, Picture>(repeating: Picture())

    /// One picture of the group.
    package struct Picture: BitwiseCopyable, Sendable {
        /// Its temporal layer, 0 to 7.
        package var temporalIndex: UInt8 = 0
        /// The distances to the earlier pictures that it refers to.
        package var references = FrameDistances()
    }

    /// The longest group that is accepted: twice the longest that encoders use.
    package static let maximumCount = 16

    /// A group without pictures.
    init() {}

    /// Appends a picture. Traps if the group is full.
    mutating func append(_ picture: Picture) {
        pictures[count] = picture
        count += 1
    }
}
