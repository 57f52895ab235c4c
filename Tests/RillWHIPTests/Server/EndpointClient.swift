import RillWHIP
import Testing

/// Sends requests to an endpoint of a host in memory.
struct EndpointClient {
    let host: MemoryStreamHost
    let endpoint: WHIPEndpoint<MemoryStreamHost>
    var access = StreamAccess.unrestricted
    var sender = StreamClient()

    static let offer = "v=0\r\no=- 1 1 IN IP4 127.0.0.1\r\ns=-\r\nt=0 0\r\na=ice-ufrag:them\r\n"
    static let candidates =
        "a=ice-ufrag:them\r\nm=audio 9 UDP/TLS/RTP/SAVPF 0\r\na=mid:0\r\na=candidate:1 1 udp 1 192.0.2.1 9 typ host\r\n"
    static let restart = "a=ice-ufrag:other\r\na=ice-pwd:0123456789abcdefghijkl\r\n"

    init(sessionLimit: Int = 1000, settings: WHIPEndpointSettings = WHIPEndpointSettings()) {
        host = MemoryStreamHost(sessionLimit: sessionLimit)
        endpoint = WHIPEndpoint(host: host, settings: settings)
    }

    func send(
        _ method: String, _ target: String, type: String? = nil, match: String? = nil, noneMatch: String? = nil,
        _ body: String = ""
    ) -> WHIPResponse {
        var request = WHIPRequest(method, target, body: body)
        request.headers["Content-Type"] = type
        request.headers["If-Match"] = match
        request.headers["If-None-Match"] = noneMatch
        return endpoint.respond(to: request, access: access, from: sender)
    }

    func post(_ target: String, _ offer: String = Self.offer) -> WHIPResponse {
        send("POST", target, type: "application/sdp", offer)
    }

    func patch(_ target: String, match: String?, _ fragment: String) -> WHIPResponse {
        send("PATCH", target, type: "application/trickle-ice-sdpfrag", match: match, fragment)
    }

    /// Publishes or watches, and returns the session's path and entity tag.
    func begin(_ target: String) throws -> (path: String, tag: String) {
        let response = post(target)
        try #require(response.status == 201, "\(response)")
        return (try #require(response.headers["Location"]), try #require(response.headers["ETag"]))
    }
}

extension WHIPResponse {
    /// Whether this is a refusal with that status, whose body says so too (RFC 9457).
    func isProblem(_ expected: Int) -> Bool {
        status == expected && headers["Content-Type"] == "application/problem+json"
            && body.hasPrefix(#"{"type":"about:blank","title":""#)
            && body.contains("\"status\":\(expected),\"detail\":\"")
    }
}
