/// Errors in bytes from the network, with the numbers that show the problem.
public enum RTPError: Error, Equatable, Sendable {
    /// The bytes end before the structure does.
    case truncated(needed: Int, available: Int)
    /// The version field is not 2.
    case unsupportedVersion(UInt8)
    /// The padding length at the end of the packet is zero, or exceeds the bytes after the header.
    case invalidPadding(count: Int, available: Int)
    /// An element of a header extension has a length that is invalid for its kind.
    case invalidExtension(byteCount: Int)
    /// The ID for a header extension is 0 or already in use.
    case invalidExtensionID(UInt8)
    /// The minimum playout delay is above the maximum, in steps of 10 ms.
    case invalidPlayoutDelay(minimumSteps: Int, maximumSteps: Int)
    /// An RTCP packet that is not the last one of its compound has padding.
    case misplacedPadding(count: Int, following: Int)
    /// A bitrate does not fit in 64 bits: `mantissa` times 2 to the power of `exponent`.
    case invalidBitrate(mantissa: UInt32, exponent: UInt8)
    /// Transport-wide feedback has the reserved status for a packet, the `index`th after the base sequence number.
    case reservedPacketStatus(index: Int)
    /// No frame data follows the payload descriptor.
    case emptyPayload
    /// A packet in flexible mode lacks a picture ID.
    case missingPictureID
    /// A packet lists more references than a frame can have.
    case tooManyReferences(maximum: Int)
    /// A packet's frame refers to a frame at an impossible distance.
    case invalidReference(distance: Int)
    /// An FEC packet does not protect the packet to be restored, or not the part of it that is missing.
    case notProtected(SequenceNumber)
    /// A packet cannot be restored because other packets that the FEC packet protects are missing too.
    case recoveryIncomplete(missing: Int)
    /// A packet is longer than the part of it that the FEC packet protects.
    case notRestored(byteCount: Int, restored: Int)
    /// The caller's buffer is too small for the packet's contents.
    case bufferTooSmall(needed: Int, available: Int)
    /// An RTCP packet has a packet type other than the expected one.
    case unexpectedPacketType(UInt8)
    /// A count field exceeds what the length field leaves room for.
    case invalidCount(count: Int, byteCount: Int)
}

extension RTPError: CustomStringConvertible {
    /// A description of the error in one line.
    public var description: String {
        switch self {
        case .truncated(let needed, let available):
            "the packet is truncated: \(needed) bytes needed, \(available) available"
        case .unsupportedVersion(let version):
            "RTP version \(version), only version 2 exists"
        case .invalidPadding(let count, let available):
            "a padding count of \(count) bytes where there is room for \(available)"
        case .invalidExtension(let byteCount):
            "a header extension element of \(byteCount) bytes"
        case .invalidExtensionID(let id):
            "header extension ID \(id) is 0 or in use: choose another from 1 to 255"
        case .invalidPlayoutDelay(let minimumSteps, let maximumSteps):
            "a playout delay of at least \(minimumSteps)0 ms and at most \(maximumSteps)0 ms"
        case .misplacedPadding(let count, let following):
            "an RTCP packet with \(count) bytes of padding before \(following) more bytes: only the last may be padded"
        case .invalidBitrate(let mantissa, let exponent):
            "a bitrate of \(mantissa) * 2^\(exponent) bits a second"
        case .reservedPacketStatus(let index):
            "the reserved status 3 for packet \(index) of transport-wide feedback"
        case .emptyPayload:
            "no frame data follows the payload descriptor"
        case .missingPictureID:
            "a packet in flexible mode without a picture ID"
        case .tooManyReferences(let maximum):
            "a frame with more than \(maximum) references"
        case .invalidReference(let distance):
            "a frame with an invalid reference, \(distance) frames before it"
        case .notProtected(let number):
            "the FEC packet does not protect packet \(number)"
        case .recoveryIncomplete(let missing):
            "\(missing) more packets are needed to recover the lost one"
        case .notRestored(let byteCount, let restored):
            "the lost packet has \(byteCount) bytes after its header, of which \(restored) are protected"
        case .bufferTooSmall(let needed, let available):
            "\(needed) bytes do not fit into a buffer of \(available)"
        case .unexpectedPacketType(let type):
            "unexpected RTCP packet type \(type)"
        case .invalidCount(let count, let byteCount):
            "a count of \(count) in a packet of \(byteCount) bytes"
        }
    }
}
