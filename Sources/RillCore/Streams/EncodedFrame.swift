/// What is known of one coded frame: the hinge between codec, wire and jitter buffer.
///
/// An encoder fills it, `RillSend` turns it into picture IDs and the like, the receiver's reference finder gives the
/// same noun back. It is codec-neutral and holds no bytes: those travel beside it as a `Span<UInt8>` into the memory of
/// whoever made them, so that nobody has to copy them to say what they are.
public struct EncodedFrame: Sendable {
    /// What the bytes are coded with.
    public var codec: VideoCodec
    /// The stream, and the temporal layer inside it.
    public var layer: StreamLayer
    /// Counts the coded frames of this stream from 0 without gaps at the encoder; the receiver's numbers keep the
    /// gaps of what was lost.
    public var number: Int64
    /// The frames that must have been decoded before this one.
    public var references: FrameReferences
    /// Decodable without any other frame.
    public var isKey: Bool
    /// No later frame refers to this one.
    public var isDiscardable: Bool
    /// The frame lies above temporal layer 0 and refers to no other frame than the newest of layer 0: who has that one
    /// can decode it, and may take up its layer here (Y of RFC 7741).
    public var isLayerSync: Bool
    /// No later frame of a higher temporal layer refers to one of those layers before this frame: who has the frame's
    /// own layer may take up the higher ones here (U of RFC 9628).
    public var isSwitchingUpPoint: Bool
    /// Shows no picture of its own: later frames refer to it (an alternate reference frame of VP8, which only encoders
    /// that look ahead make). Its capture time lies a moment after that of the frame before it.
    public var isHidden = false
    /// Size of the decoded picture in pixels, as it is coded.
    public var resolution: Resolution
    /// How far the decoded picture has to be turned to stand upright.
    public var rotation: Rotation
    /// When the picture was captured, on the clock of whoever stamped it.
    public var captureTime: MediaTime
    /// Length of the coded bytes.
    public var byteCount: Int
    /// The stages that the frame has passed, and when.
    public var stamps: FrameStamps

    /// A frame as its maker knows it; the flags are off, the picture stands upright and no stage is stamped unless said
    /// otherwise.
    public init(
        codec: VideoCodec, layer: StreamLayer, number: Int64, references: FrameReferences, isKey: Bool,
        isDiscardable: Bool = false, isLayerSync: Bool = false, isSwitchingUpPoint: Bool = false,
        resolution: Resolution, rotation: Rotation = .none, captureTime: MediaTime, byteCount: Int,
        stamps: FrameStamps = FrameStamps()
    ) {
        self.codec = codec
        self.layer = layer
        self.number = number
        self.references = references
        self.isKey = isKey
        self.isDiscardable = isDiscardable
        self.isLayerSync = isLayerSync
        self.isSwitchingUpPoint = isSwitchingUpPoint
        self.resolution = resolution
        self.rotation = rotation
        self.captureTime = captureTime
        self.byteCount = byteCount
        self.stamps = stamps
    }
}

/// The numbers of the frames that one frame refers to: at most eight (VP9 has eight reference slots), held inline.
public struct FrameReferences: Sendable, Equatable {
    /// The most that a frame can refer to.
    public static let capacity = 8

    /// How many there are, 0 to 8.
    public private(set) var count = 0
    private var numbers = InlineArray<8, Int64>(repeating: 0)

    /// No references: a key frame's.
    public init() {}

    /// A reference to one frame.
    public init(_ number: Int64) {
        append(number)
    }

    /// Adds a frame; a ninth is the programmer's mistake. One that is there already is not added again.
    public mutating func append(_ number: Int64) {
        guard !contains(number) else { return }
        precondition(count < FrameReferences.capacity, "a frame refers to at most 8 others")
        numbers[count] = number
        count += 1
    }

    /// The `index`th reference, in the order in which they were added.
    public subscript(index: Int) -> Int64 {
        precondition(index < count, "reference \(index) of \(count)")
        return numbers[index]
    }

    /// Whether the frame refers to `number`.
    public func contains(_ number: Int64) -> Bool {
        for index in 0..<count where numbers[index] == number { return true }
        return false
    }

    /// The same references in the same order.
    public static func == (a: FrameReferences, b: FrameReferences) -> Bool {
        guard a.count == b.count else { return false }
        for index in 0..<a.count where a.numbers[index] != b.numbers[index] { return false }
        return true
    }
}
