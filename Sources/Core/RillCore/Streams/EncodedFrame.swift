/// The description of one coded frame, shared by codec, packetizer and jitter buffer.
///
/// An encoder fills it in, `RillSend` maps it to picture IDs and the like, and the receiver's reference finder
/// restores it. It is codec-neutral and holds no bytes: these travel beside it as a `Span<UInt8>` into their owner's
/// memory, so nothing is copied.
public struct EncodedFrame: Sendable {
    /// The codec of the bytes.
    public var codec: VideoCodec
    /// The stream and the temporal layer within it.
    public var layer: StreamLayer
    /// The frame's number in this stream, from 0. At the encoder there are no gaps; at the receiver lost frames leave
    /// gaps.
    public var number: Int64
    /// The frames that must be decoded before this one.
    public var references: FrameReferences
    /// Whether the frame decodes without any other frame.
    public var isKey: Bool
    /// Whether no later frame refers to this one.
    public var isDiscardable: Bool
    /// Whether the frame is above temporal layer 0 and refers only to the newest frame of layer 0. A receiver that
    /// has that frame can decode this one and switch up to its layer here (Y of RFC 7741).
    public var isLayerSync: Bool
    /// Whether no later frame of a higher temporal layer refers to a frame of such a layer before this one. A
    /// receiver of the frame's own layer can switch up to the higher layers here (U of RFC 9628).
    public var isSwitchingUpPoint: Bool
    /// Whether the frame shows no picture and only serves as a reference: an alternate reference frame of VP8, which
    /// only encoders with lookahead make. Its capture time is just after that of the previous frame.
    public var isHidden = false
    /// The size of the decoded picture in pixels, as coded.
    public var resolution: Resolution
    /// The rotation that brings the decoded picture upright.
    public var rotation: Rotation
    /// When the picture was captured, on the clock of the code that set it.
    public var captureTime: MediaTime
    /// The length of the coded bytes.
    public var byteCount: Int
    /// The stages that the frame has passed, with timestamps.
    public var timestamps: FrameTimestamps

    /// Creates a description. By default flags are off, the picture is upright, and no stage has a timestamp.
    public init(
        codec: VideoCodec, layer: StreamLayer, number: Int64, references: FrameReferences, isKey: Bool,
        isDiscardable: Bool = false, isLayerSync: Bool = false, isSwitchingUpPoint: Bool = false,
        resolution: Resolution, rotation: Rotation = .none, captureTime: MediaTime, byteCount: Int,
        timestamps: FrameTimestamps = FrameTimestamps()
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
        self.timestamps = timestamps
    }
}

extension EncodedFrame {
    /// Adds `offset` to the number of the frame and of those that it refers to: for a sequence made of several.
    package mutating func renumber(by offset: Int64) {
        number += offset
        var moved = FrameReferences()
        for index in 0..<references.count { moved.append(references[index] + offset) }
        references = moved
    }
}

/// The numbers of the frames that one frame refers to: at most eight (VP9 has eight reference slots), stored inline.
public struct FrameReferences: Sendable, Equatable {
    /// The most frames that one frame can refer to.
    public static let capacity = 8

    /// The number of references, 0 to 8.
    public private(set) var count = 0
    private var numbers = InlineArray<8, Int64>(repeating: 0)

    /// Creates an empty list, as for a key frame.
    public init() {}

    /// Creates a list of one reference.
    public init(_ number: Int64) {
        append(number)
    }

    /// Adds a frame unless it is already present. Adding a ninth traps.
    public mutating func append(_ number: Int64) {
        guard !contains(number) else { return }
        precondition(count < FrameReferences.capacity, "a frame refers to at most 8 others")
        numbers[count] = number
        count += 1
    }

    /// The reference at `index`, in the order of addition.
    public subscript(index: Int) -> Int64 {
        precondition(index < count, "reference \(index) of \(count)")
        return numbers[index]
    }

    /// Whether the frame refers to frame `number`.
    public func contains(_ number: Int64) -> Bool {
        for index in 0..<count where numbers[index] == number { return true }
        return false
    }

    /// Whether both hold the same references in the same order.
    public static func == (a: FrameReferences, b: FrameReferences) -> Bool {
        guard a.count == b.count else { return false }
        for index in 0..<a.count where a.numbers[index] != b.numbers[index] { return false }
        return true
    }
}
