/// A request of HTTP, without the connection that carries it.
public struct WHIPRequest: Equatable, Sendable {
    /// The method, in capitals.
    public var method: String
    /// At a server the path, percent-encoded, with its query; at a client the URL.
    public var target: String
    /// The header fields.
    public var headers: WHIPHeaders
    /// The body.
    public var body: String

    /// A request with these parts.
    public init(_ method: String, _ target: String, headers: WHIPHeaders = WHIPHeaders(), body: String = "") {
        (self.method, self.target, self.headers, self.body) = (method, target, headers, body)
    }
}

/// A response of HTTP, without the connection that carries it.
public struct WHIPResponse: Equatable, Sendable {
    /// The status, 100 to 599.
    public var status: Int
    /// The header fields, without `Content-Length`.
    public var headers: WHIPHeaders
    /// The body.
    public var body: String

    /// A response with these parts.
    public init(_ status: Int, headers: WHIPHeaders = WHIPHeaders(), body: String = "") {
        (self.status, self.headers, self.body) = (status, headers, body)
    }
}
