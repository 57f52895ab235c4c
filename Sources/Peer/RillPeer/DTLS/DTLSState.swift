public import RillCore
public import RillSecurity

/// Which side begins the handshake (RFC 8842 §5; `a=setup`).
public enum DTLSRole: Hashable, Sendable {
    /// It begins: `a=setup:active`.
    case client
    /// It waits: `a=setup:passive`.
    case server

    /// The role of the other side.
    public var opposite: DTLSRole { self == .client ? .server : .client }
}

/// The state of an endpoint: that of W3C's `RTCDtlsTransportState`.
public enum DTLSState: String, Hashable, Sendable {
    /// Nothing was sent or received.
    case new
    /// The handshake goes on, or the fingerprint of the peer's certificate is not known yet.
    case connecting
    /// The handshake is done, and the peer's certificate is the one that signaling named.
    case connected
    /// One side closed the connection.
    case closed
    /// The connection failed. Nothing helps but a new one.
    case failed
}

extension DTLSState: CustomStringConvertible {
    /// The state as W3C writes it: `connected`.
    public var description: String { rawValue }
}

/// An event of an endpoint, in the order in which things happened.
public enum DTLSEvent: Equatable, Sendable {
    /// The handshake is done and the fingerprint agrees: ``DTLSEndpoint/srtpKeys`` has the keys.
    case connected
    /// Data of the peer's, decrypted: a message of SCTP.
    case data([UInt8])
    /// The peer warned of something. The connection goes on.
    case warning(DTLSAlert)
    /// The peer closed the connection in good order (close_notify).
    case closed
    /// The connection failed.
    case failed(DTLSError)
}

/// What ``DTLSEndpoint/poll(at:into:)`` asks for.
public enum DTLSAction: Equatable, Sendable {
    /// Send the datagram that was written.
    case transmit
    /// Take note.
    case event(DTLSEvent)
    /// Poll again at this time, or after the next insertion.
    case wait(until: MediaTime)
}

/// What became of a datagram.
public enum DTLSInsertResult: Hashable, Sendable {
    /// OpenSSL read it. It silently drops what is damaged, forged or replayed.
    case taken
    /// Its first byte is not one of DTLS (RFC 7983).
    case notDTLS
    /// It is larger than ``DTLSEndpoint/maximumDatagramByteCount``.
    case tooLarge
    /// The connection is closed, or has failed.
    case ended
}

/// Times and limits of a ``DTLSEndpoint``.
public struct DTLSSettings: Hashable, Sendable {
    /// The profiles of SRTP that are offered or accepted, the preferred ones first. A server chooses the first of its
    /// own that the client offers. At least one; GCM-128, GCM-256, and AES-CM with the 80-bit tag.
    public var srtpProfiles: [SRTPProfile] = [.aeadAES128GCM, .aeadAES256GCM, .aesCM128Tag80]
    /// The largest datagram that is sent, in bytes. 1200; 256 to 16384.
    public var maximumTransmissionUnit = 1200
    /// The time to the first retransmission of a flight, which doubles with each. 50 ms, as browsers have it. RFC 6347
    /// §4.2.4.1 suggests 1 s, but where every third datagram is lost, a handshake then takes a minute.
    public var retransmissionTimeout = MediaDuration.milliseconds(50)
    /// The longest time to a retransmission. 4 s. OpenSSL gives up at the thirteenth: after 30.35 s with the defaults.
    public var maximumRetransmissionTimeout = MediaDuration.seconds(4)
    /// How long the handshake may take, with the time in which the fingerprint is not known. 30 s.
    public var handshakeTimeout = MediaDuration.seconds(30)
    /// The most datagrams, and the most events, that are kept until they are polled. 64 each. Further datagrams and
    /// data are dropped, as a network would.
    public var maximumQueueCount = 64

    /// Creates the default settings.
    public init() {}
}

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
