/// Why a request was refused: the code of an ERROR-CODE attribute, 300 to 699 (RFC 8489 §14.8).
public struct STUNErrorCode: RawRepresentable, Hashable, Sendable {
    /// The code: its hundreds are the class.
    public let rawValue: UInt16

    /// Creates the code; `nil` unless it is 300 to 699.
    public init?(rawValue: UInt16) {
        guard (300...699).contains(rawValue) else { return nil }
        self.rawValue = rawValue
    }

    private init(_ rawValue: UInt16) { self.rawValue = rawValue }

    /// 400: the request is malformed.
    public static let badRequest = STUNErrorCode(400)
    /// 401: the credentials are missing or wrong.
    public static let unauthenticated = STUNErrorCode(401)
    /// 420: the request has comprehension-required attributes that are not known.
    public static let unknownAttribute = STUNErrorCode(420)
    /// 487: both agents believe to have the same role (RFC 8445 §7.3.1.1).
    public static let roleConflict = STUNErrorCode(487)

    /// The reason phrase to send, at most 127 bytes of ASCII.
    var reason: StaticString {
        switch self {
        case .badRequest: "Bad Request"
        case .unauthenticated: "Unauthenticated"
        case .unknownAttribute: "Unknown Attribute"
        case .roleConflict: "Role Conflict"
        default: ""
        }
    }
}

extension STUNErrorCode: CustomStringConvertible {
    /// The code and its reason: `487 Role Conflict`.
    public var description: String { "\(rawValue) \(reason)" }
}
