/// Why bytes from the network are not what they should be, with the numbers that say so.
public enum RTPError: Error, Equatable, Sendable {
    /// The bytes end before the structure does.
    case truncated(needed: Int, available: Int)
    /// The version field is not 2.
    case unsupportedVersion(UInt8)
    /// The padding count at the end of the packet is zero or larger than the room behind the header.
    case invalidPadding(count: Int, available: Int)
    /// The descriptor is followed by no byte of the frame.
    case emptyPayload
    /// The three bytes behind the frame tag of a VP8 key frame are not 0x9D012A.
    case invalidStartCode(UInt32)
    /// A VP8 key frame says that its picture has no pixels.
    case emptyPicture(width: Int, height: Int)
    /// A VP9 packet in flexible mode has no picture ID.
    case missingPictureID
    /// A VP9 packet says of more references than a frame can have.
    case tooManyReferences(maximum: Int)
    /// The first two bits of a VP9 frame are not 2.
    case invalidFrameMarker(UInt8)
    /// The sync code of a VP9 key frame is not 0x498342.
    case invalidSyncCode(UInt32)
    /// A parity does not protect the packet that is to be restored, or not the part of it that is missing.
    case notProtected(SequenceNumber)
    /// A packet cannot be restored, because others that the parity protects are missing too.
    case recoveryIncomplete(missing: Int)
    /// A packet is longer than what the parity protects of it.
    case notRestored(byteCount: Int, restored: Int)
    /// The caller's buffer cannot take what the packet holds.
    case bufferTooSmall(needed: Int, available: Int)
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
            "the padding count says \(count) bytes, the packet has room for 1 to \(available)"
        case .emptyPayload:
            "the payload descriptor is followed by no frame data"
        case .invalidStartCode(let code):
            "a VP8 key frame begins with 9d012a, not \(String(code, radix: 16))"
        case .emptyPicture(let width, let height):
            "a VP8 key frame of \(width)x\(height) pixels"
        case .missingPictureID:
            "a VP9 packet in flexible mode without a picture ID"
        case .tooManyReferences(let maximum):
            "a VP9 frame with more than \(maximum) references"
        case .invalidFrameMarker(let marker):
            "a VP9 frame begins with the bits 10, not \(String(marker, radix: 2))"
        case .invalidSyncCode(let code):
            "a VP9 key frame has the sync code 498342, not \(String(code, radix: 16))"
        case .notProtected(let number):
            "the parity does not protect packet \(number)"
        case .recoveryIncomplete(let missing):
            "\(missing) more packets are needed to restore the one that is lost"
        case .notRestored(let byteCount, let restored):
            "the lost packet has \(byteCount) bytes behind its header, \(restored) of them were protected"
        case .bufferTooSmall(let needed, let available):
            "\(needed) bytes do not fit into a buffer of \(available)"
        case .unexpectedPacketType(let type):
            "RTCP packet type \(type) where another one belongs"
        case .invalidCount(let count, let byteCount):
            "a count of \(count) in a packet of \(byteCount) bytes"
        }
    }
}
