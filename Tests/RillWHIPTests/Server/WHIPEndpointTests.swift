import RillCore
import RillWHIP
import Testing

@Suite struct WHIPEndpointTests {
    let client = EndpointClient()

    @Test func `A publisher gets an answer, a session and its entity tag`() throws {
        let response = client.post("/whip/stage")
        #expect(response.status == 201 && response.body == MemoryStreamHost.answer)
        #expect(response.headers["Content-Type"] == "application/sdp")
        #expect(response.headers["Location"] == "/session/s1" && response.headers["ETag"] == "\"s1.1\"")
        #expect(response.headers["Accept-Patch"] == "application/trickle-ice-sdpfrag")
        #expect(response.headers["Link"] == nil)
        let session = try #require(client.host.sessions["s1"])
        #expect(session.action == .publish && session.stream == "stage")
    }

    @Test func `A viewer gets the URL of the layer selection, and the ICE servers`() throws {
        let servers = [
            ICEServer("stun:stun.example.net"),
            ICEServer("turn:turn.example.net?transport=udp", username: "me", credential: "a\"b\\"),
        ]
        let client = EndpointClient(settings: WHIPEndpointSettings(iceServers: servers))
        _ = try client.begin("/whip/stage")
        let links = client.post("/whep/stage").headers.values(of: "Link")
        #expect(
            links == [
                "<stun:stun.example.net>; rel=\"ice-server\"",
                "<turn:turn.example.net?transport=udp>; rel=\"ice-server\"; username=\"me\"; credential=\"a\\\"b\\\\\"; "
                    + "credential-type=\"password\"",
                "</session/s2/layer>; rel=\"urn:ietf:params:whep:ext:core:layer\"",
            ])
    }

    @Test func `Watching a stream without a publisher is 404 with Retry-After: 1`() {
        let response = client.post("/whep/stage")
        #expect(response.isProblem(404) && response.headers["Retry-After"] == "1")
    }

    @Test func `A second publisher takes the place of the first, whose session is then unknown`() throws {
        let first = try client.begin("/whip/stage")
        let second = try client.begin("/whip/stage")
        #expect(client.patch(first.path, match: first.tag, EndpointClient.candidates).isProblem(404))
        #expect(client.patch(second.path, match: second.tag, EndpointClient.candidates).status == 204)
        #expect(client.send("DELETE", first.path).isProblem(404))
    }

    @Test func `A reconnecting publisher does not replace another one`() throws {
        var client = client
        func comeBack(_ match: String? = nil) -> WHIPResponse {
            client.send(
                "POST", "/whip/stage", type: "application/sdp", match: match, noneMatch: match == nil ? "*" : nil,
                EndpointClient.offer)
        }
        #expect(comeBack().status == 201)
        #expect(comeBack().isProblem(412))
        let viewer = client.send("POST", "/whep/stage", type: "application/sdp", noneMatch: "*", EndpointClient.offer)
        #expect(viewer.status == 201)
        #expect(client.send("DELETE", "/session/s1").status == 200)
        #expect(comeBack().status == 201)
        // Tokens of the same subject are the same publisher's.
        client.sender.subject = "anna"
        #expect(comeBack().isProblem(412))
        #expect(client.post("/whip/stage").status == 201)
        #expect(comeBack().status == 201)
        client.sender.subject = "bob"
        #expect(comeBack().isProblem(412))
    }

    @Test func `A reconnecting publisher with its entity tag replaces that session`() throws {
        func comeBack(_ match: String) -> WHIPResponse {
            client.send("POST", "/whip/stage", type: "application/sdp", match: match, EndpointClient.offer)
        }
        var tag = try client.begin("/whip/stage").tag
        // Also the tag from before or behind a restart of ICE.
        for generation in [1, 2, 77] {
            let response = comeBack(tag.replacing(".1", with: ".\(generation)"))
            #expect(response.status == 201 && client.host.sessions.count == 1)
            tag = try #require(response.headers["ETag"])
        }
        let other = try client.begin("/whip/stage").tag
        for wrong in [tag, "\"\"", "\"x\"", "W/" + other] { #expect(comeBack(wrong).isProblem(412), "\(wrong)") }
        #expect(comeBack("\"x\", " + other).status == 201)
        #expect(comeBack("x").isProblem(400))
        // A client that published a stream without a publisher may continue.
        for session in client.host.sessions.keys { _ = client.send("DELETE", "/session/\(session)") }
        #expect(comeBack(tag).status == 201)
        // Anybody's, as without it.
        #expect(comeBack("*").status == 201)
    }

    @Test func `Quotas of a client are 429, those of a stream and of all 503`() throws {
        for (error, status) in [
            (StreamHostError.clientQuota("sessions of the token", limit: 3), 429),
            (.streamQuota("viewers", limit: 3), 503),
            (.tooManySessions(limit: 3), 503), (.publishedByOther, 412),
        ] {
            let endpoint = WHIPEndpoint(host: RefusingHost(error: error))
            var request = WHIPRequest("POST", "/whip/a", body: EndpointClient.offer)
            request.headers["Content-Type"] = "application/sdp"
            let client = StreamClient(subject: "a", bearer: "b", address: IPAddress("2001:db8::1"))
            let response = endpoint.respond(to: request, access: .unrestricted, from: client)
            #expect(response.isProblem(status) && response.headers["Retry-After"] == (status == 412 ? nil : "10"))
            #expect(!response.body.contains("\"title\":\"Error\""))
        }
    }

    @Test func `Offers that cannot be used are refused, with the reason`() {
        #expect(client.post("/whip/a", "").isProblem(400))
        let bad = client.post("/whip/a", "hello")
        #expect(bad.isProblem(400) && bad.body.contains("it does not begin with v=0"))
        #expect(client.post("/whip/a", "v=0 H264").isProblem(422))
        let large = client.post("/whip/a", String(repeating: "v", count: 1 << 18 + 1))
        #expect(large.isProblem(413))
        let other = client.send("POST", "/whip/a", type: "text/plain", EndpointClient.offer)
        #expect(other.isProblem(415) && other.headers["Accept-Post"] == "application/sdp")
        #expect(client.send("POST", "/whip/a", EndpointClient.offer).isProblem(415))
        #expect(
            client.send("POST", "/whip/a", type: "Application/SDP ; charset=utf-8", EndpointClient.offer).status == 201)
    }

    @Test func `Full and closing hosts send Retry-After`() {
        let client = EndpointClient(sessionLimit: 1)
        #expect(client.post("/whip/a").status == 201)
        let full = client.post("/whip/b")
        #expect(full.isProblem(503) && full.headers["Retry-After"] == "10")
        client.host.close()
        let closing = client.post("/whip/b")
        #expect(closing.isProblem(503) && closing.headers["Retry-After"] == "5")
    }

    @Test(arguments: ["/whip/a", "/whep/a", "/session/s1", "/session/s1/layer", "/streams"])
    func `Every resource lists its methods, and refuses others`(path: String) {
        _ = client.post("/whip/a")
        let allowed = client.send("OPTIONS", path).headers["Allow"] ?? ""
        let offered = allowed.split(separator: ", ").map(String.init)
        #expect(offered.contains("OPTIONS") && offered.count >= 2)
        for method in ["GET", "HEAD", "PUT", "POST", "PATCH", "DELETE", "TRACE", "BREW"] where !offered.contains(method)
        {
            let response = client.send(method, path)
            #expect(response.status == 405 && response.headers["Allow"] == allowed, "\(method)")
            #expect(method == "HEAD" ? response.body.isEmpty : response.isProblem(405), "\(method)")
        }
        if offered.contains("HEAD") {
            let (whole, head) = (client.send("GET", path), client.send("HEAD", path))
            #expect(head.body.isEmpty && head.headers["Content-Length"] == "\(whole.body.utf8.count)")
        }
    }

    @Test func `Refusals that do not depend on the body come before it`() throws {
        let session = try client.begin("/whip/a")
        func refusal(_ method: String, _ target: String, _ access: StreamAccess = .missing) -> Int? {
            client.endpoint.refusal(of: WHIPRequest(method, target), access: access)?.status
        }
        #expect(refusal("POST", "/whip/a") == 401 && refusal("POST", "/whip/a", .invalid) == 401)
        #expect(refusal("POST", "/whip/a", .limited(publish: .only(["b"]), watch: .all)) == 403)
        #expect(refusal("PUT", "/whip/a") == 405 && refusal("POST", "/nothing") == 404)
        #expect(refusal("PATCH", "/session/none") == 404 && refusal("POST", "/session/none/layer") == 404)
        #expect(refusal("POST", "/whip/a", .unrestricted) == nil && refusal("OPTIONS", "/session/none") == nil)
        #expect(refusal("PATCH", session.path) == nil && refusal("GET", "/streams") == nil)
        let many = client.endpoint.refusal(
            ofTooManyRequests: WHIPRequest("POST", "/whip/a"), after: .milliseconds(1200))
        #expect(many.isProblem(429) && many.headers["Retry-After"] == "2")
    }

    @Test func `A browser's preflight is answered without a token`() {
        var client = client
        client.access = .missing
        for (path, accepted) in [("/whip/a", "application/sdp"), ("/session/x/layer", "application/json")] {
            let response = client.send("OPTIONS", path)
            #expect(response.status == 204 && response.body.isEmpty)
            #expect(response.headers["Access-Control-Allow-Origin"] == "*")
            #expect(response.headers["Access-Control-Allow-Methods"] == "OPTIONS, POST")
            #expect(
                response.headers["Access-Control-Allow-Headers"]
                    == "Authorization, Content-Type, If-Match, If-None-Match")
            #expect(response.headers["Accept-Post"] == accepted)
        }
        #expect(client.send("OPTIONS", "/session/x").headers["Accept-Patch"] == "application/trickle-ice-sdpfrag")
    }

    @Test func `Pages of any origin may read Location, Link and ETag, of errors too`() {
        for response in [client.post("/whip/a"), client.post("/whep/none"), client.send("GET", "/nothing")] {
            #expect(response.headers["Access-Control-Allow-Origin"] == "*")
            #expect(response.headers["Access-Control-Expose-Headers"]?.hasPrefix("Location, Link, ETag") == true)
            #expect(response.headers["Cache-Control"] == "no-store")
        }
    }

    @Test(arguments: [
        "", "/", "*", "/whip", "/whip/", "/whip/a/b", "/whop/a", "/session", "/session/s1/layers", "/streams/",
        "whip/a",
        "http://example.net", "/a/b/c/d/e/f/g",
    ])
    func `Unknown paths are 404, or 400 where a name is missing`(path: String) {
        #expect(client.send("POST", path).isProblem(path == "/whip/" ? 400 : 404))
    }

    @Test func `A stream's name is decoded, and has 1 to 64 unreserved characters`() throws {
        let longest = String(repeating: "x", count: 64)
        for name in ["a", "A-Z_0.9~", longest, "%61", "%7e", "a?token=1", "a#b"] {
            #expect(client.post("/whip/" + name).status == 201, "\(name)")
        }
        #expect(client.post("http://example.net:8080/whip/absolute").status == 201)
        let expected: Set = ["a", "A-Z_0.9~", longest, "~", "absolute"]
        #expect(Set(client.host.streams.map(\.name)) == expected)
        for name in [
            longest + "x", ".", "..", "%2e%2e", "a%2Fb", "a%20b", "ä", "%C3%A4", "%", "%4", "%zz", "%FF", "a b",
        ] {
            #expect(client.post("/whip/" + name).isProblem(400), "\(name)")
        }
    }
}

/// A host that has no room.
private struct RefusingHost: StreamHost {
    var error: StreamHostError
    var streams: [HostedStream] { [] }

    func publish(
        _: String, offer: String, from: StreamClient, replacing: StreamReplacement
    ) throws(StreamHostError) -> HostedSession { throw error }
    func watch(_: String, offer: String, from: StreamClient) throws(StreamHostError) -> HostedSession { throw error }
    func addCandidates(_: SDPFragment, to: String) throws(StreamHostError) { throw error }
    func restart(_: String, with: SDPFragment) throws(StreamHostError) -> SDPFragment { throw error }
    func select(_: String?, for: String) throws(StreamHostError) { throw error }
    func end(_: String) throws(StreamHostError) { throw error }
    func holds(_: String) -> Bool { false }
}
