import RillWHIP
import RillWireFuzzTargets

/// A request of a stranger, to an endpoint with a stream, a publisher and a viewer: it gets a response that says what
/// it may, and a fragment that was read writes a text that, read again, is the same.
///
/// The bytes are a method, a target, fields and a body, as HTTP/1.1 has them.
func fuzzWHIP(_ bytes: Span<UInt8>) {
    let text = String(decoding: bytes.indices.map { bytes[$0] }, as: UTF8.self)
    if let fragment = try? SDPFragment(parsing: text) {
        precondition((try? SDPFragment(parsing: fragment.text)) == fragment, "it cannot read what it wrote")
    }
    let host = MemoryStreamHost(sessionLimit: 3)
    let endpoint = WHIPEndpoint(host: host)
    for path in ["/whip/stage", "/whep/stage"] {
        let offer = WHIPRequest(
            "POST", path, headers: WHIPHeaders([.init("Content-Type", "application/sdp")]), body: "v=0\r\n")
        precondition(endpoint.respond(to: offer, access: .unrestricted).status == 201)
    }
    let request = WHIPRequest(message: text)
    for access in [StreamAccess.unrestricted, .missing, .invalid, .limited(publish: .only(["stage"]), watch: .all)] {
        let response = endpoint.respond(to: request, access: access)
        precondition(response.isLawful, "\(response)")
    }
    precondition(host.sessions.count <= 3 && endpoint.sessionCount <= 6)
    endpoint.endSessions()
    precondition(host.sessions.isEmpty && endpoint.sessionCount == 0)
}

func whipSeeds() -> [FuzzTarget.Seed] {
    WHIPRequest.goodMessages.map { FuzzTarget.Seed($0.name, bytes: Array($0.text.utf8)) }
}

extension WHIPRequest {
    /// Good requests of each kind, for an endpoint whose first two sessions are a publisher's and a viewer's.
    package static let goodMessages: [(name: String, text: String)] = [
        (
            "publish",
            "POST /whip/stage\nContent-Type: application/sdp\nAuthorization: Bearer abc\n\nv=0\r\na=ice-ufrag:them\r\n"
        ),
        ("watch", "POST /whep/st%61ge?x=1\nContent-Type: application/sdp\n\nv=0\r\n"),
        (
            "trickle",
            "PATCH /session/s1\nContent-Type: application/trickle-ice-sdpfrag\nIf-Match: W/\"a\", \"s1.1\"\n\na=ice-ufrag:them\r\n"
                + "a=ice-pwd:0123456789abcdefghijkl\r\nm=audio 9 UDP/TLS/RTP/SAVPF 0\r\na=mid:0\r\n"
                + "a=candidate:1 1 udp 2122260223 192.0.2.1 61764 typ host\r\na=end-of-candidates\r\n"
        ),
        (
            "restart",
            "PATCH /session/s2\nContent-Type: application/trickle-ice-sdpfrag\nIf-Match: *\n\na=ice-ufrag:else\r\n"
                + "a=ice-pwd:0123456789abcdefghijkl\r\n"
        ),
        (
            "layer",
            "POST /session/s2/layer\nContent-Type: application/json\n\n{\"mediaId\":\"0\",\"encodingId\":\"l\\u006fw\"}"
        ),
        ("delete", "DELETE /session/s2\n\n"),
        ("list", "GET /streams\nAuthorization: Bearer abc\n\n"),
        ("options", "OPTIONS /whip/stage\nOrigin: https://example.net\nAccess-Control-Request-Method: POST\n\n"),
        ("head", "HEAD /whep/stage\n\n"),
    ]

    /// Takes any text apart: the method up to a space, the target up to the line's end, fields up to an empty line, the
    /// body.
    package init(message: String) {
        let bytes = message.utf8
        let head = bytes.prefix { $0 != 0x0A }
        let method = head.prefix { $0 != 0x20 }
        self.init(String(Substring(method)), String(Substring(head.dropFirst(method.count + 1))))
        var rest = bytes.dropFirst(head.count + 1)
        while !rest.isEmpty {
            let line = rest.prefix { $0 != 0x0A }
            rest = rest.dropFirst(line.count + 1)
            guard !line.isEmpty else { break }
            let name = line.prefix { $0 != UInt8(ascii: ":") }
            let value = line.dropFirst(name.count + 1).drop { $0 == 0x20 }
            headers.append(String(Substring(name)), String(Substring(value)))
        }
        body = String(Substring(rest))
    }
}

extension WHIPResponse {
    /// Whether the status is one that an endpoint has, with the fields and the body that belong to it.
    package var isLawful: Bool {
        guard headers.fields.allSatisfy({ $0.value.utf8.allSatisfy { $0 >= 0x20 && $0 < 0x7F } }) else { return false }
        switch status {
        case 200, 204: return true
        case 201:
            return headers["Location"] != nil && headers["ETag"] != nil && headers["Content-Type"] == "application/sdp"
        case 400, 403, 404, 412, 413, 415, 422, 428: return isProblem
        case 401: return isProblem && headers["WWW-Authenticate"] != nil
        case 405: return isProblem && headers["Allow"] != nil
        case 503: return isProblem && headers["Retry-After"] != nil
        default: return false
        }
    }

    /// The body of a refusal; the response to HEAD has none.
    private var isProblem: Bool {
        headers["Content-Type"] == "application/problem+json" && (body.isEmpty || body.hasPrefix("{\"type\":"))
    }
}
