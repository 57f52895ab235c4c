/// What a video stream is coded with, by its name in SDP (RFC 8866 §6.6).
///
/// Rill brings encoders and decoders of VP8 and VP9. An app names its own:
///
///     extension VideoCodec { static let av1: VideoCodec = "AV1" }
///
/// A name is 1 to 15 ASCII letters, digits, hyphens and underscores; upper and lower case are told apart. It is held inline:
/// a codec is as cheap to copy and to compare as two integers.
@frozen
public struct VideoCodec: RawRepresentable, Hashable, Sendable, BitwiseCopyable {
    /// The name's bytes, the first in the lowest eight bits of `head`, the ninth in those of `tail`; zeros behind the last.
    @usableFromInline let head: UInt64
    @usableFromInline let tail: UInt64

    @inlinable
    init(head: UInt64, tail: UInt64) {
        self.head = head
        self.tail = tail
    }

    /// RFC 6386; on the wire RFC 7741.
    @inlinable public static var vp8: VideoCodec { VideoCodec(head: 0x38_50_56, tail: 0) }
    /// The VP9 bitstream specification, version 0.7; on the wire RFC 9628.
    @inlinable public static var vp9: VideoCodec { VideoCodec(head: 0x39_50_56, tail: 0) }

    /// The codecs that Rill brings. There are as many others as apps name.
    public static let allCases: [VideoCodec] = [.vp8, .vp9]

    /// Whether it is one of those that Rill brings.
    @inlinable public var isBuiltIn: Bool { self == .vp8 || self == .vp9 }

    /// One of those that Rill brings, by its name; `nil` for any other.
    public init?(builtIn name: some StringProtocol) {
        guard let codec = VideoCodec(rawValue: String(name)), codec.isBuiltIn else { return nil }
        self = codec
    }

    /// A codec by its name, which somebody else may have written; `nil` unless it is 1 to 15 letters, digits, hyphens and
    /// underscores.
    public init?(rawValue name: String) {
        var (head, tail, count) = (UInt64(0), UInt64(0), UInt64(0))
        for byte in name.utf8 {
            guard count < 15, VideoCodec.isPartOfName(byte) else { return nil }
            if count < 8 {
                head |= UInt64(byte) << (8 * count)
            } else {
                tail |= UInt64(byte) << (8 * (count - 8))
            }
            count += 1
        }
        guard count > 0 else { return nil }
        self.init(head: head, tail: tail)
    }

    /// The name.
    public var rawValue: String {
        var name = ""
        for word in [head, tail] {
            var rest = word
            while rest != 0 {
                name.unicodeScalars.append(Unicode.Scalar(UInt8(truncatingIfNeeded: rest)))
                rest >>= 8
            }
        }
        return name
    }

    // Without this, what is RawRepresentable is compared by its raw values, which are strings.
    /// Whether both have the same name: a comparison of two integers each.
    @inlinable
    public static func == (a: VideoCodec, b: VideoCodec) -> Bool { a.head == b.head && a.tail == b.tail }

    /// Feeds the name into `hasher`.
    @inlinable
    public func hash(into hasher: inout Hasher) {
        hasher.combine(head)
        hasher.combine(tail)
    }

    private static func isPartOfName(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "-"), UInt8(ascii: "_"):
            true
        default: false
        }
    }
}

extension VideoCodec: ExpressibleByStringLiteral {
    /// A name in the source code: 1 to 15 ASCII letters, digits, hyphens and underscores. Precondition.
    public init(stringLiteral name: String) {
        guard let codec = VideoCodec(rawValue: name) else {
            preconditionFailure("a codec's name is 1 to 15 letters, digits, hyphens and underscores, not \"\(name)\"")
        }
        self = codec
    }
}

extension VideoCodec: CustomStringConvertible {
    /// The name.
    public var description: String { rawValue }
}
