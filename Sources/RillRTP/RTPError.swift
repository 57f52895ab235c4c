/// Why bytes from the network are not what they should be, with the numbers that say so.
public enum RTPError: Error, Equatable, Sendable {
    /// The bytes end before the structure does.
    case truncated(needed: Int, available: Int)
    /// The version field is not 2.
    case unsupportedVersion(UInt8)
    /// The padding count at the end of the packet is zero or larger than the room behind the header, or in RTCP no
    /// multiple of four.
    case invalidPadding(count: Int, available: Int)
    /// An element of a header extension has a length that what it stands for cannot have.
    case invalidExtension(byteCount: Int)
    /// A header extension is to have a number that is 0 or taken.
    case invalidExtensionID(UInt8)
    /// The least playout delay is above the greatest, in steps of 10 ms.
    case invalidPlayoutDelay(minimumSteps: Int, maximumSteps: Int)
    /// An RTCP packet has padding although others follow it.
    case misplacedPadding(count: Int, following: Int)
    /// A bitrate that 64 bits cannot hold: `mantissa` times 2 to the power of `exponent`.
    case invalidBitrate(mantissa: UInt32, exponent: UInt8)
    /// Transport-wide feedback says of a packet, the `index`th from its base, what is reserved.
    case reservedPacketStatus(index: Int)
    /// The descriptor is followed by no byte of the frame.
    case emptyPayload
    /// The three bytes behind the frame tag of a VP8 key frame are not 0x9D012A.
    case invalidStartCode(UInt32)
    /// A VP8 key frame says that its picture has no pixels.
    case emptyPicture(width: Int, height: Int)
    /// The type field of an RTCP packet is none that the reader was asked to read.
    case unexpectedPacketType(UInt8)
    /// A count field says more than the length field leaves room for.
    case invalidCount(count: Int, byteCount: Int)
}

extension RTPError: CustomStringConvertible {
    /// What is wrong, in one line.
    public var description: String {
        switch self {
        case .truncated(let needed, let available):
            "the packet ends too early: \(needed) bytes needed, \(available) there"
        case .unsupportedVersion(let version):
            "RTP version \(version), only version 2 exists"
        case .invalidPadding(let count, let available):
            "a padding count of \(count) bytes where there is room for \(available)"
        case .invalidExtension(let byteCount):
            "a header extension element of \(byteCount) bytes"
        case .invalidExtensionID(let id):
            "header extension number \(id) is taken or reserved: choose another from 1 to 255"
        case .invalidPlayoutDelay(let minimumSteps, let maximumSteps):
            "a playout delay of at least \(minimumSteps)0 ms and at most \(maximumSteps)0 ms"
        case .misplacedPadding(let count, let following):
            "an RTCP packet with \(count) bytes of padding is followed by \(following) bytes: only the last may have it"
        case .invalidBitrate(let mantissa, let exponent):
            "a bitrate of \(mantissa) * 2^\(exponent) bits a second"
        case .reservedPacketStatus(let index):
            "the reserved status 3 for packet \(index) of transport-wide feedback"
        case .emptyPayload:
            "the payload descriptor is followed by no frame data"
        case .invalidStartCode(let code):
            "a VP8 key frame begins with 9d012a, not \(String(code, radix: 16))"
        case .emptyPicture(let width, let height):
            "a VP8 key frame of \(width)x\(height) pixels"
        case .unexpectedPacketType(let type):
            "RTCP packet type \(type) where another one belongs"
        case .invalidCount(let count, let byteCount):
            "a count of \(count) in a packet of \(byteCount) bytes"
        }
    }
}
