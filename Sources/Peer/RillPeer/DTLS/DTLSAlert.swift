/// Why one side ends a connection, or what it warns of (RFC 5246 §7.2).
public struct DTLSAlert: RawRepresentable, Hashable, Sendable {
    /// The number of the alert's description.
    public let rawValue: UInt8

    /// The alert of that number.
    public init(rawValue: UInt8) { self.rawValue = rawValue }

    /// The peer ends the connection in good order.
    public static let closeNotify = DTLSAlert(rawValue: 0)
    /// No parameters that both sides accept.
    public static let handshakeFailure = DTLSAlert(rawValue: 40)
    /// The certificate is damaged, or not the one that signaling named.
    public static let badCertificate = DTLSAlert(rawValue: 42)
    /// A field has a value that it cannot have.
    public static let illegalParameter = DTLSAlert(rawValue: 47)
    /// A message cannot be parsed.
    public static let decodeError = DTLSAlert(rawValue: 50)
    /// The version of the protocol is not supported.
    public static let protocolVersion = DTLSAlert(rawValue: 70)
    /// The peer does not renegotiate.
    public static let noRenegotiation = DTLSAlert(rawValue: 100)

    private static let names: [UInt8: String] = [
        0: "close_notify", 10: "unexpected_message", 20: "bad_record_mac", 21: "decryption_failed",
        22: "record_overflow", 30: "decompression_failure", 40: "handshake_failure", 41: "no_certificate",
        42: "bad_certificate", 43: "unsupported_certificate", 44: "certificate_revoked", 45: "certificate_expired",
        46: "certificate_unknown", 47: "illegal_parameter", 48: "unknown_ca", 49: "access_denied", 50: "decode_error",
        51: "decrypt_error", 60: "export_restriction", 70: "protocol_version", 71: "insufficient_security",
        80: "internal_error", 86: "inappropriate_fallback", 90: "user_canceled", 100: "no_renegotiation",
        110: "unsupported_extension", 112: "unrecognized_name", 113: "bad_certificate_status_response",
        116: "certificate_required", 120: "no_application_protocol",
    ]
}

extension DTLSAlert: CustomStringConvertible {
    /// The name in the RFCs: `bad_certificate`; the number of unknown ones.
    public var description: String { DTLSAlert.names[rawValue] ?? "alert \(rawValue)" }
}
