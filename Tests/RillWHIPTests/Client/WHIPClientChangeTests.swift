import RillCore
import RillTestSupport
import RillWHIP
import Testing

@Suite("A WHIP client changes its session: candidates, restarts, layers")
struct WHIPClientChangeTests {
    private static let candidates = [
        SDPFragment.Section(mid: "0", candidates: ["candidate:2 1 udp 1 192.0.2.2 7 typ host"], isEnd: true)
    ]
    private static let newOffer = ClientRun.description("newo", "candidate:3 1 udp 9 192.0.2.3 8 typ host")
    private static let restarted =
        "a=ice-lite\r\na=ice-ufrag:newa\r\na=ice-pwd:newa-and-eighteen-bytes\r\nm=video 9 UDP/TLS/RTP/SAVPF 96\r\n"
        + "a=mid:0\r\na=candidate:9 1 udp 5 192.0.2.77 9 typ host\r\na=end-of-candidates\r\n"

    private static let layered = ClientRun.created(links: [
        "</layers/1>; rel=\"urn:ietf:params:whep:ext:core:layer\""
    ])

    // MARK: Candidates

    @Test func `Trickled candidates belong to the credentials at the server`() throws {
        var run = try ClientRun.inSession()
        run.client.trickle(WHIPClientChangeTests.candidates, at: run.now)
        run.poll()
        let request = try run.respond(WHIPResponse(204))
        #expect(request.method == "PATCH" && request.target == "https://example.org/session/1")
        #expect(request.headers["If-Match"] == "\"e1\"")
        #expect(request.headers["Content-Type"] == "application/trickle-ice-sdpfrag")
        #expect(
            request.body == """
                a=group:BUNDLE 0 1\r
                a=ice-ufrag:ours\r
                a=ice-pwd:ours-and-eighteen-bytes\r
                m=video 9 UDP/TLS/RTP/SAVPF 96\r
                a=mid:0\r
                a=candidate:2 1 udp 1 192.0.2.2 7 typ host\r
                a=end-of-candidates\r

                """)
        #expect(run.takeEvents().isEmpty && run.requests.isEmpty)
    }

    @Test func `A server without entity tags gets none, and one that cannot be sent back counts as none`() throws {
        for etag in [nil, "", "a b", "\"\r\nEvil: 1\"", String(repeating: "e", count: 300)] {
            var run = try ClientRun.inSession(answer: ClientRun.created(etag: etag))
            run.client.trickle(WHIPClientChangeTests.candidates, at: run.now)
            run.poll()
            #expect(try run.request().request.headers["If-Match"] == nil)
        }
    }

    @Test(arguments: [405, 412, 415, 422, 428, 501])
    func `A server that refuses candidates keeps its session`(_ status: Int) throws {
        var run = try ClientRun.inSession()
        run.client.trickle(WHIPClientChangeTests.candidates, at: run.now)
        run.poll()
        try run.respond(ClientRun.problem(status, "no"))
        #expect(run.takeEvents() == [.candidatesRefused(.refused(status: status, detail: "no"))])
        #expect(run.wakeTime == .distantFuture)
    }

    @Test func `Candidates are tried five times, in order`() throws {
        var run = try ClientRun.inSession()
        run.client.trickle(WHIPClientChangeTests.candidates, at: run.now)
        run.client.trickle([SDPFragment.Section(mid: "1")], at: run.now)
        run.poll()
        var times: [Double] = []
        for _ in 0..<5 {
            times.append(run.now.seconds)
            try run.refuseConnection()
            if run.requests.isEmpty { run.pass(run.wakeTime - run.now) }
        }
        #expect(times == [0, 0.25, 0.75, 1.75, 3.75])
        #expect(run.takeEvents() == [.candidatesRefused(.noConnection("connection refused"))])
        #expect(try run.respond(WHIPResponse(204)).body.contains("a=mid:1"))
    }

    @Test(arguments: [404, 410])
    func `A lost session is replaced by another one`(_ status: Int) throws {
        var run = try ClientRun.inSession()
        run.client.trickle(WHIPClientChangeTests.candidates, at: run.now)
        run.poll()
        try run.respond(WHIPResponse(status))
        #expect(
            run.takeEvents() == [
                .sessionLost(.sessionVanished(status: status)),
                .retrying(after: .milliseconds(250), .sessionVanished(status: status)),
            ])
        run.pass(.milliseconds(250))
        // The server knows no session that could be ended.
        #expect(try run.respond(ClientRun.created(location: "/session/2")).method == "POST")
        run.client.close(at: run.now)
        run.poll()
        #expect(try run.request().request.target == "https://example.org/session/2")
    }

    // MARK: Restarts

    @Test func `A restart replaces the server's state, and changes only ICE`() throws {
        var run = try ClientRun.inSession()
        run.client.trickle(WHIPClientChangeTests.candidates, at: run.now)
        run.client.restartICE(WHIPClientChangeTests.newOffer, at: run.now)
        run.poll()
        var response = WHIPResponse(200, body: WHIPClientChangeTests.restarted)
        response.headers["ETag"] = "\"e2\""
        let request = try run.respond(response)
        #expect(request.method == "PATCH" && request.headers["If-Match"] == "*")
        #expect(
            request.body == """
                a=group:BUNDLE 0 1\r
                a=ice-ufrag:newo\r
                a=ice-pwd:newo-and-eighteen-bytes\r
                m=video 9 UDP/TLS/RTP/SAVPF 96\r
                a=mid:0\r
                a=candidate:3 1 udp 9 192.0.2.3 8 typ host\r
                a=end-of-candidates\r

                """)
        guard case .restarted(let answer)? = run.takeEvents().last else { throw TestFailure("no restart") }
        #expect(
            answer == """
                v=0\r
                o=- 1 1 IN IP4 0.0.0.0\r
                s=-\r
                t=0 0\r
                a=group:BUNDLE 0 1\r
                m=video 9 UDP/TLS/RTP/SAVPF 96\r
                c=IN IP4 0.0.0.0\r
                a=mid:0\r
                a=fingerprint:sha-256 00\r
                a=rtpmap:96 VP8/90000\r
                a=ice-ufrag:newa\r
                a=ice-pwd:newa-and-eighteen-bytes\r
                a=candidate:9 1 udp 5 192.0.2.77 9 typ host\r
                a=end-of-candidates\r
                m=video 9 UDP/TLS/RTP/SAVPF 96\r
                a=mid:1\r
                a=ice-ufrag:newa\r
                a=ice-pwd:newa-and-eighteen-bytes\r

                """)
        // The former candidates are gone; later ones are for the new credentials.
        #expect(run.requests.isEmpty)
        run.client.trickle(WHIPClientChangeTests.candidates, at: run.now)
        run.poll()
        let trickle = try run.request().request
        #expect(trickle.headers["If-Match"] == "\"e2\"" && trickle.body.contains("a=ice-ufrag:newo"))
    }

    @Test func `A restart is retried until the server responds, or the connection is given up`() throws {
        var run = try ClientRun.inSession()
        run.client.restartICE(WHIPClientChangeTests.newOffer, at: run.now)
        run.poll()
        for _ in 0..<20 {
            try run.refuseConnection()
            run.pass(run.wakeTime - run.now)
        }
        #expect(run.takeEvents().isEmpty)
        run.client.noteFailed("consent lost", at: run.now)
        run.requests = []
        run.poll()
        #expect(try run.request().request.method == "DELETE")
        #expect(
            run.takeEvents() == [
                .sessionLost(.connectionFailed("consent lost")),
                .retrying(after: .milliseconds(250), .connectionFailed("consent lost")),
            ])
    }

    @Test(arguments: [405, 409, 412, 422, 501])
    func `A refused restart leads to another session`(_ status: Int) throws {
        var run = try ClientRun.inSession()
        run.client.restartICE(WHIPClientChangeTests.newOffer, at: run.now)
        run.poll()
        try run.respond(ClientRun.problem(status, "no"))
        #expect(run.takeEvents().first == .sessionLost(.refused(status: status, detail: "no")))
        #expect(try run.request().request.method == "DELETE")
        run.pass(.milliseconds(250))
        #expect(try run.request().request.method == "POST")
    }

    @Test(arguments: ["", "a=ice-ufrag:x\r\n", "a=ice-ufrag:abcd\r\na=ice-pwd:short\r\n", "\0\u{FFFD}"])
    func `A restart without new credentials is ignored`(_ body: String) throws {
        var run = try ClientRun.inSession()
        run.client.restartICE(WHIPClientChangeTests.newOffer, at: run.now)
        run.poll()
        try run.respond(WHIPResponse(200, body: body))
        #expect(run.takeEvents().first == .sessionLost(.badResponse(status: 200, .noCredentials)))
    }

    // MARK: Layers

    @Test func `A layer is selected at the server's URL, now and in the next session`() throws {
        var run = try ClientRun.inSession(.watch, answer: WHIPClientChangeTests.layered)
        run.client.select("lo\"w\u{1}", at: run.now)
        run.poll()
        let request = try run.respond(WHIPResponse(200))
        #expect(request.method == "POST" && request.target == "https://example.org/layers/1")
        #expect(request.headers["Content-Type"] == "application/json")
        #expect(request.body == "{\"encodingId\":\"lo\\\"w\\u0001\"}")
        #expect(run.takeEvents() == [.layerSelected("lo\"w\u{1}")])

        run.client.noteFailed("gone", at: run.now)
        run.poll()
        #expect(try run.request().request.method == "DELETE")
        run.pass(.milliseconds(250))
        try run.respond(WHIPClientChangeTests.layered)
        #expect(try run.respond(WHIPResponse(200)).body == request.body)
        run.client.select(nil, at: run.now)
        run.poll()
        #expect(try run.respond(WHIPResponse(204)).body == "{\"encodingId\":null}")
    }

    @Test func `A selection before the session is made in it, and the newest one counts`() throws {
        var run = try ClientRun(.watch)
        run.client.select("high", at: run.now)
        run.poll()
        try run.respond(WHIPClientChangeTests.layered)
        run.client.select("mid", at: run.now)
        run.client.select("low", at: run.now)
        run.poll()
        #expect(try run.respond(WHIPResponse(200)).body == "{\"encodingId\":\"high\"}")
        #expect(try run.respond(WHIPResponse(200)).body == "{\"encodingId\":\"low\"}")
        #expect(run.takeEvents().suffix(2) == [.layerSelected("high"), .layerSelected("low")])
    }

    @Test func `A server without layers, or without this one, keeps its session`() throws {
        var run = try ClientRun.inSession(.watch)
        run.client.select("low", at: run.now)
        run.poll()
        #expect(run.takeEvents() == [.layerRefused("low", .noLayerSelection)])

        run = try ClientRun.inSession(.watch, answer: WHIPClientChangeTests.layered)
        run.client.select("low", at: run.now)
        run.poll()
        try run.respond(WHIPResponse(404))
        #expect(run.takeEvents() == [.layerRefused("low", .refused(status: 404, detail: nil))])
    }
}
