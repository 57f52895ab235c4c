/// The VP9 payload descriptor, before the frame's bytes in each packet (RFC 9628 §4.2).
///
/// Flexible mode is on the left, non-flexible mode on the right:
///
/// ```text
///      0 1 2 3 4 5 6 7                      0 1 2 3 4 5 6 7
///     +-+-+-+-+-+-+-+-+                    +-+-+-+-+-+-+-+-+
///     |I|P|L|F|B|E|V|Z| (REQUIRED)         |I|P|L|F|B|E|V|Z| (REQUIRED)
///     +-+-+-+-+-+-+-+-+                    +-+-+-+-+-+-+-+-+
/// I:  |M| PICTURE ID  | (REQUIRED)    I:   |M| PICTURE ID  | (RECOMMENDED)
///     +-+-+-+-+-+-+-+-+                    +-+-+-+-+-+-+-+-+
/// M:  | EXTENDED PID  | (RECOMMENDED) M:   | EXTENDED PID  | (RECOMMENDED)
///     +-+-+-+-+-+-+-+-+                    +-+-+-+-+-+-+-+-+
/// L:  | TID |U| SID |D| (optional)    L:   | TID |U| SID |D| (optional)
///     +-+-+-+-+-+-+-+-+                    +-+-+-+-+-+-+-+-+
/// P,F:| P_DIFF      |N| (up to 3)          |   TL0PICIDX   | (with L)
///     +-+-+-+-+-+-+-+-+                    +-+-+-+-+-+-+-+-+
/// V:  | SS            |               V:   | SS            |
///     | ..            |                    | ..            |
///     +-+-+-+-+-+-+-+-+                    +-+-+-+-+-+-+-+-+
/// ```
///
/// The scalability structure SS, which may follow (V), is not part of this type; ``VP9Payload`` has both. What the
/// RFC calls a frame is one spatial layer of a picture. Without spatial layers the two are the same.
public struct VP9PayloadDescriptor: Equatable, Sendable {
    /// I: the picture ID, which counts the pictures. Required in flexible mode.
    public var pictureID: PictureID?
    /// P: whether the frame refers to earlier pictures.
    public var isInterPicturePredicted: Bool
    /// L: the layer indices TID, U, SID and D.
    public var layer: Layer?
    /// F: whether each packet lists the pictures that its frame refers to; otherwise the scalability structure
    /// defines them.
    public var isFlexible: Bool
    /// B: whether the packet starts a frame.
    public var startsFrame: Bool
    /// E: whether the packet ends a frame. The marker bit signals the end of the picture.
    public var endsFrame: Bool
    /// Z: whether no frame of a higher spatial layer refers to this one.
    public var isNotReferenceForUpperLayers: Bool
    /// TL0PICIDX: counts the pictures of temporal layer 0, modulo 256. Present in non-flexible mode with `layer`, and
    /// only then.
    public var tl0PictureIndex: UInt8?
    /// P_DIFF: the distances to the referenced pictures, in pictures before this one, 1 to 127 each. Present in
    /// flexible mode if the frame is inter-picture predicted, and only then.
    public var references: FrameDistances

    /// The layer indices of the descriptor.
    public struct Layer: Equatable, Sendable {
        /// TID: the temporal layer, 0 to 7.
        public var temporalIndex: UInt8
        /// U: whether no later picture of a higher temporal layer refers to a picture of those layers before this
        /// one, so that a receiver may switch up to higher layers here.
        public var isSwitchingUpPoint: Bool
        /// SID: the spatial layer, 0 to 7.
        public var spatialIndex: UInt8
        /// D: whether the frame refers to the next lower spatial layer of the same picture.
        public var isInterLayerPredicted: Bool

        /// The layer with the temporal index `temporalIndex` and the spatial index `spatialIndex`.
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

    /// A descriptor with these fields. Values that exceed their bits or that the mode does not have trap when the
    /// descriptor is written.
    public init(
        pictureID: PictureID? = nil, isInterPicturePredicted: Bool = false, layer: Layer? = nil,
        isFlexible: Bool = false, startsFrame: Bool, endsFrame: Bool, isNotReferenceForUpperLayers: Bool = false,
        tl0PictureIndex: UInt8? = nil, references: FrameDistances = FrameDistances()
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
