public import RillCore

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
