/// The kind of a STUN message: a method, and its class (RFC 8489 §5).
public struct STUNMessageType: Hashable, Sendable {
    /// What the message is about: 12 bits.
    public let method: UInt16
    /// Whether it asks, tells or answers.
    public let messageClass: Class

    /// The four classes of messages, as their two bits on the wire.
    public enum Class: UInt8, Hashable, Sendable {
        /// Asks for a response.
        case request = 0
        /// Asks for nothing.
        case indication = 1
        /// Answers a request that was carried out.
        case success = 2
        /// Answers a request that was refused.
        case error = 3
    }

    /// The method "binding", the only one of ICE.
    public static let binding: UInt16 = 1

    /// A binding request: a connectivity check, or a consent check.
    public static let bindingRequest = STUNMessageType(method: binding, .request)
    /// A binding indication: keeps a NAT's mapping alive.
    public static let bindingIndication = STUNMessageType(method: binding, .indication)
    /// The answer to a binding request, with the address that it came from.
    public static let bindingSuccess = STUNMessageType(method: binding, .success)
    /// The answer to a refused binding request, with an error code.
    public static let bindingError = STUNMessageType(method: binding, .error)

    /// Creates a type. `method` must be below 4096.
    public init(method: UInt16, _ messageClass: Class) {
        precondition(method < 0x1000, "STUN method \(method): it has 12 bits")
        self.method = method
        self.messageClass = messageClass
    }

    // RFC 8489 §5: the bits of the class, C1 and C0, stand between those of the method.
    //
    //    13 12 11 10  9  8  7  6  5  4  3  2  1  0
    //   +--+--+--+--+--+--+--+--+--+--+--+--+--+--+
    //   |    M11 – M7  |C1|M6 – M4 |C0|  M3 – M0   |
    //   +--+--+--+--+--+--+--+--+--+--+--+--+--+--+

    /// The type in the 14 lower bits of a message's first two bytes. The upper two are ignored.
    init(wire bits: UInt16) {
        method = bits & 0x000F | bits >> 1 & 0x0070 | bits >> 2 & 0x0F80
        // Each of the four values of two bits is a class.
        messageClass =
            switch (bits & 0x0100 != 0, bits & 0x0010 != 0) {
            case (false, false): .request
            case (false, true): .indication
            case (true, false): .success
            case (true, true): .error
            }
    }

    /// The first two bytes of a message.
    var wire: UInt16 {
        let bits = UInt16(messageClass.rawValue)
        return method & 0x000F | (method & 0x0070) << 1 | (method & 0x0F80) << 2 | (bits & 1) << 4 | (bits & 2) << 7
    }
}
