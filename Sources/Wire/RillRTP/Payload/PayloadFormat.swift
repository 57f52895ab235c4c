/// The RTP payload format of an app's own codec: the bytes before the frame's data in each packet.
///
/// VP8 and VP9 have their own formats (RFC 7741, RFC 9628). For any other codec, the settings of sender and receiver
/// hold a `PayloadFormat`. The default is ``numbered``, which suits any codec whose frames are byte strings. Another
/// format consists of two functions that mirror each other:
///
/// ```swift
/// let plain = PayloadFormat("plain") { frame, isFirst, bytes in
///     bytes.append((isFirst ? 0x80 : 0) | (frame.isKey ? 0x40 : 0))
/// } parse: { payload throws(RTPError) in
///     guard payload.count > 1 else { throw .truncated(needed: 2, available: payload.count) }
///     let frame = PayloadFrame(isKey: payload[0] & 0x40 != 0, width: 640, height: 480)
///     return PayloadPiece(frame, startsFrame: payload[0] & 0x80 != 0, offset: 1)
/// }
/// ```
///
/// A frame is split into as few packets as possible. Each packet has the bytes written here, followed by its piece of
/// the frame. All have the same RTP timestamp, and the last one has the marker bit. Formats that change the frame's
/// bytes (H.264, RFC 6184) cannot be expressed this way.
///
/// A value; formats with the same name are considered equal. The functions are called on the thread that drives the
/// sender or receiver.
public struct PayloadFormat: Sendable {
    /// The name, which identifies the format.
    public let name: String
    /// Writes the bytes before a frame's data.
    package let write: Writer
    /// Parses those bytes.
    package let parse: Parser

    /// Appends the bytes before the frame's data, in the frame's first packet (`isFirst`) or in each of the others.
    ///
    /// Called once per frame for each of the two. It appends at most ``maximumByteCount`` bytes, and in the first
    /// packet at least as many as in the others.
    public typealias Writer = @Sendable (_ frame: PayloadFrame, _ isFirst: Bool, _ bytes: inout [UInt8]) -> Void
    /// Parses a packet's payload, which is untrusted and has at least one byte. Called once or twice per packet.
    public typealias Parser = @Sendable (_ payload: Span<UInt8>) throws(RTPError) -> PayloadPiece

    /// The maximum number of bytes before the frame's data.
    public static let maximumByteCount = 32

    /// A format that consists of two functions.
    public init(_ name: String, write: @escaping Writer, parse: @escaping Parser) {
        self.name = name
        self.write = write
        self.parse = parse
    }
}

extension PayloadFormat: Equatable {
    /// Returns whether the names are equal.
    public static func == (a: PayloadFormat, b: PayloadFormat) -> Bool { a.name == b.name }
}

/// The properties of a frame that its packets carry, in any format.
public struct PayloadFrame: Equatable, Sendable {
    /// Counts the frames, modulo 65536; `nil` if the format does not carry it.
    ///
    /// Without it, a receiver detects missing frames by sequence numbers only, and ignores ``distances``.
    public var number: UInt16?
    /// Whether the frame can be decoded without any other frame.
    public var isKey: Bool
    /// Whether no later frame refers to this one.
    public var isDiscardable: Bool
    /// The temporal layer, 0 to 3. A receiver uses it only if the frame lists its references.
    public var temporalIndex: UInt8
    /// The frames that this one refers to. If a delta frame lists none, it refers to the frame before it.
    public var distances: FrameDistances
    /// The width of a key frame's picture in pixels, 1 to 16383; 0 for other frames. The first packet of each key
    /// frame must carry the size.
    public var width: UInt16
    /// The height of a key frame's picture in pixels; see ``width``.
    public var height: UInt16

    /// A frame with these properties.
    public init(
        number: UInt16? = nil, isKey: Bool, isDiscardable: Bool = false, temporalIndex: UInt8 = 0,
        distances: FrameDistances = FrameDistances(), width: UInt16 = 0, height: UInt16 = 0
    ) {
        self.number = number
        self.isKey = isKey
        self.isDiscardable = isDiscardable
        self.temporalIndex = temporalIndex
        self.distances = distances
        self.width = width
        self.height = height
    }
}

/// The distances of up to three referenced frames, in frames before the current one, stored inline. For VP9 they are
/// the P_DIFF of a picture (RFC 9628 §4.2).
public struct FrameDistances: Equatable, Sendable, BitwiseCopyable {
    /// The maximum number of distances.
    public static let capacity = 3

    private var length: UInt8 = 0
    private var distances = InlineArray<3, UInt8>(repeating: 0)

    /// An empty list.
    public init() {}

    /// A list of one distance.
    public init(_ distance: UInt8) { append(distance) }

    /// The number of distances.
    public var count: Int { Int(length) }

    /// Appends a distance; 1 is the frame before. Traps if it is a fourth.
    public mutating func append(_ distance: UInt8) {
        precondition(length < FrameDistances.capacity, "at most \(FrameDistances.capacity) distances")
        distances[count] = distance
        length += 1
    }

    /// The distance at `index`, in the order of appending. Traps unless `index` is in range.
    public subscript(index: Int) -> UInt8 {
        precondition(index >= 0 && index < count, "distance \(index) of \(count)")
        return distances[index]
    }

    /// Returns whether both have the same distances in the same order.
    public static func == (a: FrameDistances, b: FrameDistances) -> Bool {
        guard a.length == b.length else { return false }
        for index in 0..<a.count where a.distances[index] != b.distances[index] { return false }
        return true
    }
}

/// The result of parsing a packet's payload with a ``PayloadFormat``.
public struct PayloadPiece: Equatable, Sendable {
    /// The properties of the frame. Those in the frame's first packet apply.
    public var frame: PayloadFrame
    /// Whether this is the first packet of its frame.
    public var startsFrame: Bool
    /// The offset of the frame's bytes in the payload. It is less than the payload's size: every packet carries frame
    /// bytes.
    public var offset: Int

    /// A piece of `frame` that starts at byte `offset`.
    public init(_ frame: PayloadFrame, startsFrame: Bool, offset: Int) {
        self.frame = frame
        self.startsFrame = startsFrame
        self.offset = offset
    }
}
