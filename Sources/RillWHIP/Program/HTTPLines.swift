/// A request as a line of JSON, for a program that speaks HTTP on behalf of another one (`rill-http`).
///
/// ```json
/// {"id":1,"method":"POST","url":"https://example.org/whip/a","headers":[["Accept","application/sdp"]],"body":"v=0…",
/// "timeout":10000}
/// ```
///
/// So the command `rill` needs no HTTP library.
public struct HTTPRequestLine: Codable, Equatable, Sendable {
    /// The request's number, which its response bears.
    public var id: Int
    /// The method, in capitals.
    public var method: String
    /// The URL.
    public var url: String
    /// The header fields, each as name and value.
    public var headers: [[String]]
    /// The body; absent for none.
    public var body: String?
    /// How long the response may take, in milliseconds.
    public var timeout: Int

    /// A request of a client.
    public init(_ request: WHIPRequest, id: Int, timeout milliseconds: Int) {
        (self.id, method, url) = (id, request.method, request.target)
        headers = request.headers.fields.map { [$0.name, $0.value] }
        body = request.body.isEmpty ? nil : request.body
        timeout = milliseconds
    }
}

/// A response as a line of JSON, or the reason why there is none.
///
/// ```json
/// {"id":1,"status":201,"headers":[["Location","/session/1"]],"body":"v=0…"}
/// {"id":1,"error":"connection refused"}
/// ```
public struct HTTPResponseLine: Codable, Equatable, Sendable {
    /// The request's number.
    public var id: Int
    /// The status; absent with an error.
    public var status: Int?
    /// The header fields, each as name and value.
    public var headers: [[String]]?
    /// The body, at most ``maximumBodyLength`` bytes of UTF-8; absent for none.
    public var body: String?
    /// Why there is no response.
    public var error: String?

    /// The most bytes of a body, of a request or a response.
    public static let maximumBodyLength = WHIPClient.maximumResponseLength

    /// A response.
    public init(id: Int, status: Int, headers: [[String]], body: String) {
        (self.id, self.status, self.headers) = (id, status, headers)
        self.body = body.isEmpty ? nil : body
    }

    /// A request without response.
    public init(id: Int, error: String) { (self.id, self.error) = (id, error) }

    /// The response; `nil` for an error. Fields without a value are omitted.
    public var response: WHIPResponse? {
        guard let status else { return nil }
        let fields = (headers ?? []).filter { $0.count == 2 }.map { WHIPHeaders.Field($0[0], $0[1]) }
        return WHIPResponse(status, headers: WHIPHeaders(fields), body: body ?? "")
    }
}
