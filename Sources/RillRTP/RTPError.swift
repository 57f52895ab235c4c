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
    /// A VP9 packet in flexible mode has no picture ID.
    case missingPictureID
    /// A VP9 packet says of more references than a frame can have.
    case tooManyReferences(maximum: Int)
    /// A packet says that its frame refers to the frame so far before it, where none can be.
    case invalidReference(distance: Int)
    /// An FEC packet does not protect the packet that is to be restored, or not the part of it that is missing.
    case notProtected(SequenceNumber)
    /// A packet cannot be restored, because others that the FEC packet protects are missing too.
    case recoveryIncomplete(missing: Int)
    /// A packet is longer than what the FEC packet protects of it.
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
        case .missingPictureID:
            "a VP9 packet in flexible mode without a picture ID"
        case .tooManyReferences(let maximum):
            "a VP9 frame with more than \(maximum) references"
        case .invalidReference(let distance):
            "a frame that refers to the one \(distance) before it"
        case .notProtected(let number):
            "the FEC packet does not protect packet \(number)"
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
