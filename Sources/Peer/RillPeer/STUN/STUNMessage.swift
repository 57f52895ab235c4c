/// A view of a STUN message: its header, and where its attributes are (RFC 8489 §5).
///
/// ```text
///  0                   1                   2                   3
///  0 1 2 3 4 5 6 7 8 9 0 1 2 3 4 5 6 7 8 9 0 1 2 3 4 5 6 7 8 9 0 1
/// +-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+
/// |0 0|     message type          |         message length        |
/// +-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+
/// |                   magic cookie 0x2112A442                     |
/// +-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+
/// |                   transaction ID (96 bits)                    |
/// +-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+
/// |  attributes: type (16), length (16), value, padding to 4      |
/// ```
///
/// ```swift
/// let message = try STUNMessage(parsing: datagram)
/// guard message.type == .bindingRequest, message.hasIntegrity(of: key) else { return }
/// let priority = message.priority
/// ```
///
/// Parsing accepts arbitrary bytes and allocates nothing. It checks the form of all attributes that this module knows,
/// but neither FINGERPRINT nor the integrity: ``hasValidFingerprint``, ``hasIntegrity(of:)``. Of several attributes of
/// one type the first counts (§14). What follows MESSAGE-INTEGRITY is not authenticated and is ignored, except
/// MESSAGE-INTEGRITY-SHA256 and FINGERPRINT (§14.5).
///
/// The view cannot outlive the bytes.
public struct STUNMessage: ~Escapable {
    /// The method and class.
    public let type: STUNMessageType
    /// What pairs a response with its request.
    public let transactionID: STUNTransactionID
    /// The whole message.
    public let bytes: Span<UInt8>
    let layout: STUNAttributeLayout

    /// Parses a message, which must be the whole of `bytes`.
    ///
    /// - Parameter bytes: a datagram.
    /// - Throws: any case of ``STUNError``.
    @_lifetime(copy bytes)
    public init(parsing bytes: Span<UInt8>) throws(STUNError) {
        guard bytes.count >= STUNMessage.headerByteCount else {
            throw .truncated(needed: STUNMessage.headerByteCount, available: bytes.count)
        }
        let cookie = bytes.bigEndian(UInt32.self, at: 4)
        guard bytes[0] < 0x40, cookie == STUNMessage.magicCookie else {
            throw .notSTUN(firstByte: bytes[0], cookie: cookie)
        }
        let length = Int(bytes.bigEndian(UInt16.self, at: 2))
        guard length == bytes.count - STUNMessage.headerByteCount, length % 4 == 0 else {
            throw .invalidLength(declared: length, available: bytes.count - STUNMessage.headerByteCount)
        }
        type = STUNMessageType(wire: bytes.bigEndian(UInt16.self, at: 0))
        transactionID = STUNTransactionID(
            high: bytes.bigEndian(UInt32.self, at: 8), low: bytes.bigEndian(UInt64.self, at: 12))
        self.bytes = bytes
        layout = try STUNAttributeLayout(parsing: bytes)
    }

    /// Whether a datagram is STUN, by what no other protocol on the port of a WebRTC peer has: a first byte of 0 to 3
    /// (RFC 7983 §7) and the magic cookie. It may still be malformed.
    ///
    /// - Parameter datagram: any bytes.
    public static func matches(_ datagram: Span<UInt8>) -> Bool {
        datagram.count >= headerByteCount && datagram[0] < 4
            && datagram.bigEndian(UInt32.self, at: 4) == magicCookie
    }

    /// The size of the header in bytes.
    static let headerByteCount = 20
    static let magicCookie: UInt32 = 0x2112_A442
}
