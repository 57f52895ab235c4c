/// What stands before the frame's bytes in each packet of a VP9 stream (RFC 9628 §4.2), without the scalability structure
/// that may follow it (V): ``VP9Payload`` has both.
///
/// What the RFC calls a frame is one spatial layer of a picture; without spatial layers the two are the same.
public struct VP9PayloadDescriptor: Equatable, Sendable {
    /// I: a number that counts the pictures. Flexible mode requires it.
    public var pictureID: PictureID?
    /// P: the frame refers to earlier pictures.
    public var isInterPicturePredicted: Bool
    /// L: TID, U, SID and D.
    public var layer: Layer?
    /// F: each packet says which pictures its frame refers to; else the scalability structure says it once for all.
    public var isFlexible: Bool
    /// B: the packet begins a frame.
    public var startsFrame: Bool
    /// E: the packet ends a frame. That it ends the picture says the marker.
    public var endsFrame: Bool
    /// Z: no frame of a higher spatial layer refers to this one.
    public var isNotReferenceForUpperLayers: Bool
    /// TL0PICIDX: counts the pictures of temporal layer 0, modulo 256. There in non-flexible mode with `layer`, and only
    /// there.
    public var tl0PictureIndex: UInt8?
    /// P_DIFF: how many pictures before this one those lie that it refers to, 1 to 127. There in flexible mode if the
    /// frame is inter-picture predicted, and only there.
    public var references: VP9PictureDifferences

    /// The layer indices of the descriptor.
    public struct Layer: Equatable, Sendable {
        /// TID: the temporal layer, 0 to 7.
        public var temporalIndex: UInt8
        /// U: no later picture of a higher temporal layer refers to one of those layers before this one, so that a
        /// receiver may take up higher layers here.
        public var isSwitchingUpPoint: Bool
        /// SID: the spatial layer, 0 to 7.
        public var spatialIndex: UInt8
        /// D: the frame refers to the spatial layer below it in the same picture.
        public var isInterLayerPredicted: Bool

        /// Layer `temporalIndex` in time, `spatialIndex` in size.
        public init(
            temporalIndex: UInt8, isSwitchingUpPoint: Bool = false, spatialIndex: UInt8 = 0,
            isInterLayerPredicted: Bool = false
        ) {
            self.temporalIndex = temporalIndex
            self.isSwitchingUpPoint = isSwitchingUpPoint
            self.spatialIndex = spatialIndex
            self.isInterLayerPredicted = isInterLayerPredicted
        }
    }

    /// A descriptor of these fields. What does not fit its bits or its mode is found when it is written.
    public init(
        pictureID: PictureID? = nil, isInterPicturePredicted: Bool = false, layer: Layer? = nil,
        isFlexible: Bool = false, startsFrame: Bool, endsFrame: Bool, isNotReferenceForUpperLayers: Bool = false,
        tl0PictureIndex: UInt8? = nil, references: VP9PictureDifferences = VP9PictureDifferences()
    ) {
        self.pictureID = pictureID
        self.isInterPicturePredicted = isInterPicturePredicted
        self.layer = layer
        self.isFlexible = isFlexible
        self.startsFrame = startsFrame
        self.endsFrame = endsFrame
        self.isNotReferenceForUpperLayers = isNotReferenceForUpperLayers
        self.tl0PictureIndex = tl0PictureIndex
        self.references = references
    }
}

/// The up to three P_DIFF of a frame, or of a picture in a scalability structure: how many pictures before it those lie
/// that it refers to. Held inline.
public struct VP9PictureDifferences: Equatable, Sendable {
    /// The most that a frame can refer to (VP9 frames have three references).
    public static let capacity = 3

    /// How many there are, 0 to 3.
    public private(set) var count = 0
    private var differences = InlineArray<3, UInt8>(repeating: 0)

    /// No reference.
    public init() {}

    /// A reference to the picture so far back.
    public init(_ difference: UInt8) {
        append(difference)
    }

    /// Adds a reference; a fourth is the programmer's mistake.
    public mutating func append(_ difference: UInt8) {
        precondition(count < VP9PictureDifferences.capacity, "a VP9 frame refers to at most three pictures")
        differences[count] = difference
        count += 1
    }

    /// The `index`th reference, in the order of the packet.
    public subscript(index: Int) -> UInt8 {
        precondition(index >= 0 && index < count, "reference \(index) of \(count)")
        return differences[index]
    }

    /// The same references in the same order.
    public static func == (a: VP9PictureDifferences, b: VP9PictureDifferences) -> Bool {
        guard a.count == b.count else { return false }
        for index in 0..<a.count where a.differences[index] != b.differences[index] { return false }
        return true
    }
}
