/// Why bytes are not a STUN message, with the numbers that show the problem.
public enum STUNError: Error, Hashable, Sendable {
    /// The bytes end before the header of 20 bytes does.
    case truncated(needed: Int, available: Int)
    /// The first two bits are not zero, or the magic cookie is another: this is a datagram of another protocol.
    case notSTUN(firstByte: UInt8, cookie: UInt32)
    /// The length field is not that of the bytes which follow the header, or not a multiple of four.
    case invalidLength(declared: Int, available: Int)
    /// The message ends before an attribute does.
    case attributeTruncated(STUNAttributeType, needed: Int, available: Int)
    /// The value of an attribute has a length or contents that the attribute cannot have.
    case invalidAttribute(STUNAttributeType, byteCount: Int)
    /// An attribute follows FINGERPRINT, which must be the last one.
    case attributeAfterFingerprint(STUNAttributeType, offset: Int)
}

extension STUNError: CustomStringConvertible {
    /// A description of the error in one line.
    public var description: String {
        switch self {
        case .truncated(let needed, let available):
            "the message is truncated: \(needed) bytes needed, \(available) available"
        case .notSTUN(let firstByte, let cookie):
            "not STUN: the first byte is \(firstByte), the magic cookie 0x\(String(cookie, radix: 16))"
        case .invalidLength(let declared, let available):
            "a length of \(declared) bytes after the header, where \(available) follow"
        case .attributeTruncated(let type, let needed, let available):
            "attribute \(type) is truncated: \(needed) bytes needed, \(available) available"
        case .invalidAttribute(let type, let byteCount):
            "attribute \(type) has an invalid value of \(byteCount) bytes"
        case .attributeAfterFingerprint(let type, let offset):
            "attribute \(type) at byte \(offset), after FINGERPRINT"
        }
    }
}
