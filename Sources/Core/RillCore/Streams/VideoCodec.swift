/// The codec of a video stream, identified by its name in SDP (RFC 8866 §6.6).
///
/// What Rill knows of its built-in codecs is a table in RillRTP. An app can add its own codec:
///
/// ```swift
/// extension VideoCodec { static let av1: VideoCodec = "AV1" }
/// ```
///
/// A name is 1 to 15 ASCII letters, digits, hyphens and underscores, and is case-sensitive. It is stored inline: a
/// codec is as cheap to copy and compare as two integers.
@frozen
public struct VideoCodec: RawRepresentable, Hashable, Sendable, BitwiseCopyable {
    /// The name's bytes: the first in the lowest eight bits of `head`, the ninth in those of `tail`, zeros after the
    /// last.
    @usableFromInline let head: UInt64
    @usableFromInline let tail: UInt64

    /// Creates a codec from its name's bytes, which must be valid: a constant.
    @inlinable
    package init(head: UInt64, tail: UInt64) {
        self.head = head
        self.tail = tail
    }

    /// Creates a codec from a name, which may be untrusted. Returns `nil` unless it is 1 to 15 ASCII letters, digits,
    /// hyphens and underscores.
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

    // Without this, RawRepresentable's comparison of raw values applies, and these are strings.
    /// Whether both have the same name. Compares two integers each.
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
    /// Creates a codec from a literal. Traps unless it is 1 to 15 ASCII letters, digits, hyphens and underscores.
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
