import RillCore

/// What a frame is of: it says how many bytes in front stay readable for a forwarder.
public enum SFrameMedia: Codable, Hashable, Sendable {
    /// A coded picture: its first 10 bytes, which say whether it is a key frame, and of which size.
    case picture
    /// A packet of sound: its first byte, which says how long it is (RFC 6716 §3.1).
    case sound

    /// The bytes that stay readable, if the frame has so many.
    var clearByteCount: Int { self == .picture ? 10 : 1 }
}

/// The layout of a protected frame, version 1. `Documentation/Rill.docc/EndToEndEncryption.md` has it for other
/// implementations.
///
///     +------------+---------------+--------------------+-----------+------+
///     | clear head | SFrame header |     ciphertext     |    tag    | last |
///     | 10 or 1    | 1 to 17       | the frame's rest   | 4 to 16   | 1    |
///     +------------+---------------+--------------------+-----------+------+
///
/// The clear head is what RFC 9605 calls metadata: it is authenticated with the header. The last byte is 0. A reader of
/// VP9 looks at a frame's last byte for an index of superframes, whose marker has the bits 110 on top: a tag would look
/// so in one frame of eight. A frame that is shorter than the head is clear as a whole, and its last byte is its size.
/// Other values are other versions' and are refused.
struct SFrameLayout {
    /// The bytes of the clear head.
    let clearByteCount: Int

    /// The bytes that follow the tag.
    static let trailerByteCount = 1
    /// The most bytes that protection adds.
    static func overhead(_ suite: SFrameSuite) -> Int {
        SFrameHeader.maximumByteCount + suite.tagByteCount + trailerByteCount
    }

    /// The layout of a frame that is to be protected.
    init(ofFrame byteCount: Int, _ media: SFrameMedia) { clearByteCount = min(byteCount, media.clearByteCount) }

    /// The layout of a protected frame, by its last byte; `nil` for another version's.
    init?(last: UInt8, _ media: SFrameMedia) {
        guard last < media.clearByteCount else { return nil }
        clearByteCount = last == 0 ? media.clearByteCount : Int(last)
    }

    /// The last byte.
    func last(_ media: SFrameMedia) -> UInt8 {
        clearByteCount == media.clearByteCount ? 0 : UInt8(clearByteCount)
    }
}
