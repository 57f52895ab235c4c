public import RillCore

/// Times and credentials of a ``WHIPClient``.
public struct WHIPClientSettings: Equatable, Sendable {
    /// The bearer token (RFC 9725 §4.7); `nil` for none. It is sent to the endpoint's own origin, and to the session
    /// that the endpoint names, never to where the endpoint redirects.
    public var token: String?
    /// How long a response may take. 10 s.
    public var requestTimeout = MediaDuration.seconds(10)
    /// How long the end of a session may take. 3 s.
    public var closingTimeout = MediaDuration.seconds(3)
    /// How long it is tried without a connection, at the start and whenever one is lost; `nil` for as long as it takes.
    public var connectTimeout: MediaDuration?

    /// Settings with every value at its default.
    public init(token: String? = nil) { self.token = token }
}

/// The purpose of a ``WHIPClient``.
public enum WHIPPurpose: String, Hashable, Sendable {
    /// To publish a stream (WHIP).
    case publish
    /// To watch a stream (WHEP). A stream that is not published yet is waited for.
    case watch
}
