/// How the frames of an app's own codec are laid out in packets: what stands before a frame's bytes in each of them, written
/// by the sender and read by the receiver.
///
/// VP8 and VP9 have formats of their own (RFC 7741, RFC 9628). Of any other codec the sender's and the receiver's settings
/// hold one of these; unless said otherwise it is ``numbered``, which suits any codec whose frames are byte strings. Another
/// one is made of two functions that mirror each other:
///
///     let plain = PayloadFormat("plain") { frame, isFirst, bytes in
///         bytes.append((isFirst ? 0x80 : 0) | (frame.isKey ? 0x40 : 0))
///     } parse: { payload throws(RTPError) in
///         guard payload.count > 1 else { throw .truncated(needed: 2, available: payload.count) }
///         let frame = PayloadFrame(isKey: payload[0] & 0x40 != 0, width: 640, height: 480)
///         return PayloadPiece(frame, startsFrame: payload[0] & 0x80 != 0, offset: 1)
///     }
///
/// A frame goes into as few packets as it fits in, each with its piece of the frame behind what is written here; all bear one
/// RTP timestamp, the last one the marker. Formats that change the frame's bytes on their way (H.264's, RFC 6184) are not
/// of this kind.
///
/// A value; two of one name are taken for the same. The functions are called on whatever thread has the sender or receiver.
public struct PayloadFormat: Sendable {
    /// What tells it from others.
    public let name: String
    /// Writes what stands before the bytes of a frame.
    package let write: Writer
    /// Reads it.
    package let parse: Parser

    /// Appends what stands before the frame's bytes in its first packet, or in each of the others; called once a frame for
    /// either. At most ``maximumByteCount`` bytes, and in the first packet as many as in the others, or more.
    public typealias Writer = @Sendable (_ frame: PayloadFrame, _ isFirst: Bool, _ bytes: inout [UInt8]) -> Void
    /// Reads a packet's payload, which has one byte at least and comes from strangers; called once a packet, or twice.
    public typealias Parser = @Sendable (_ payload: Span<UInt8>) throws(RTPError) -> PayloadPiece

    /// The most bytes that may stand before those of the frame.
    public static let maximumByteCount = 32

    /// A format made of two functions.
    public init(_ name: String, write: @escaping Writer, parse: @escaping Parser) {
        self.name = name
        self.write = write
        self.parse = parse
    }
}

extension PayloadFormat: Equatable {
    /// Formats of one name are the same.
    public static func == (a: PayloadFormat, b: PayloadFormat) -> Bool { a.name == b.name }
}

/// What the packets of a frame say of it, whatever their format is.
public struct PayloadFrame: Equatable, Sendable {
    /// Counts the frames, modulo 65536; `nil` if the format does not say. Without it a receiver can tell that no frame is
    /// missing between two by the packets' numbers alone, and takes no ``distances``.
    public var number: UInt16?
    /// Decodable without any other frame.
    public var isKey: Bool
    /// No later frame refers to this one.
    public var isDiscardable: Bool
    /// The temporal layer, 0 to 3. A receiver looks at it where the frame names those that it refers to.
    public var temporalIndex: UInt8
    /// Which frames it refers to. None of a frame that is no key frame: it refers to the one before it.
    public var distances: FrameDistances
    /// The size of a key frame's picture, 1 to 16383 a side: the first packet of each key frame has to say it. 0 of other
    /// frames.
    public var width: UInt16
    /// See ``width``.
    public var height: UInt16

    /// A frame; what is not said of it is not so.
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

/// How many frames before a frame those lie that it refers to: at most three, each 1 to 255, held inline.
public struct FrameDistances: Equatable, Sendable, BitwiseCopyable {
    /// The most that there can be.
    public static let capacity = 3

    /// How many there are.
    public private(set) var count = 0
    private var distances: (UInt8, UInt8, UInt8) = (0, 0, 0)

    /// None.
    public init() {}

    /// Adds one: 1 is the frame before. 0, or a fourth, is a violated precondition.
    public mutating func append(_ distance: UInt8) {
        precondition(distance > 0, "a frame does not refer to itself")
        precondition(count < FrameDistances.capacity, "at most \(FrameDistances.capacity) distances")
        switch count {
        case 0: distances.0 = distance
        case 1: distances.1 = distance
        default: distances.2 = distance
        }
        count += 1
    }

    /// The `index`th, in the order in which they were added.
    public subscript(index: Int) -> UInt8 {
        precondition(index >= 0 && index < count, "distance \(index) of \(count)")
        return switch index {
        case 0: distances.0
        case 1: distances.1
        default: distances.2
        }
    }

    /// The same distances in the same order.
    public static func == (a: FrameDistances, b: FrameDistances) -> Bool {
        a.count == b.count && a.distances == b.distances
    }
}

/// What a ``PayloadFormat`` makes of a packet's payload.
public struct PayloadPiece: Equatable, Sendable {
    /// What it says of its frame. What a frame's first packet says holds.
    public var frame: PayloadFrame
    /// Whether it is the first packet of its frame.
    public var startsFrame: Bool
    /// Where in the payload the frame's bytes begin: before its end, as no packet is without any.
    public var offset: Int

    /// A piece of `frame`, from byte `offset` on.
    public init(_ frame: PayloadFrame, startsFrame: Bool, offset: Int) {
        self.frame = frame
        self.startsFrame = startsFrame
        self.offset = offset
    }
}
