import RillCore
import RillTestSupport
import RillWHIP
import Testing

@Suite("A WHIP client's session: the offer, the answer, the end")
struct WHIPClientSessionTests {
    @Test func `An offer is requested, posted, and its answer returned`() throws {
        var run = try ClientRun(.publish, WHIPClientSettings(token: "secret.token="))
        run.poll()
        #expect(run.takeEvents() == [.offerNeeded])
        let request = try run.respond(
            ClientRun.created(links: [
                "<stun:stun.example.org>; rel=\"ice-server\"",
                "<turn:turn.example.org?transport=udp>; rel=ice-server; username=\"me, \\\"myself\\\"\"; credential=word",
                "<https://example.org/other>; rel=next",
            ]))
        #expect(request.method == "POST" && request.target == "https://example.org/whip/stage")
        #expect(request.headers["content-type"] == "application/sdp" && request.body == ClientRun.offer)
        #expect(request.headers["authorization"] == "Bearer secret.token=")
        #expect(
            run.takeEvents() == [
                .answered(
                    WHIPAnswer(
                        text: ClientRun.answer, session: "https://example.org/session/1",
                        iceServers: [
                            ICEServer("stun:stun.example.org"),
                            ICEServer(
                                "turn:turn.example.org?transport=udp", username: "me, \"myself\"",
                                credential: "word"),
                        ]))
            ])
        #expect(run.wakeTime == .distantFuture)

        run.client.close(at: run.now)
        run.poll()
        let farewell = try run.respond(WHIPResponse(200))
        #expect(farewell.method == "DELETE" && farewell.target == "https://example.org/session/1")
        #expect(farewell.headers["authorization"] == "Bearer secret.token=")
        #expect(run.hasEnded && run.takeEvents().isEmpty)
    }

    @Test(arguments: [
        ("/session/1", "https://example.org/session/1"), ("session/1", "https://example.org/whip/session/1"),
        ("../s?id=2#part", "https://example.org/s?id=2"), ("?id=3", "https://example.org/whip/stage?id=3"),
        ("//media.example.org:8443/s", "https://media.example.org:8443/s"),
        ("https://other.example/s/./a/../b", "https://other.example/s/b"),
        ("https://[2001:db8::1]:444", "https://[2001:db8::1]:444/"), ("./..", "https://example.org/"),
    ])
    func `A session's location is resolved`(_ location: String, _ url: String) throws {
        var run = try ClientRun.inSession(answer: ClientRun.created(location: location))
        run.client.close(at: run.now)
        run.poll()
        #expect(try run.request().request.target == url)
    }

    @Test(
        arguments: [
            ("http://example.org/s", .badLocation(.leavesEncryption)),
            ("https://", .badLocation(.noHost)), ("https://user@example.org/", .badLocation(.hasUser)),
            ("/a b", .badLocation(.badCharacter)), ("/a\r\nEvil: 1", .badLocation(.badCharacter)),
            ("ftp://example.org/", .badLocation(.unsupportedScheme("ftp"))),
            ("https://example.org:99999/", .badLocation(.badPort("99999"))), ("https://[::1/", .badLocation(.badHost)),
            ("https://ex%41mple/", .badLocation(.badHost)),
            ("/" + String(repeating: "a", count: 5000), .badLocation(.tooLong(limit: 4096))),
        ] as [(String, WHIPResponseProblem)])
    func `A location that cannot be used ends it`(_ location: String, _ problem: WHIPResponseProblem) throws {
        var run = try ClientRun()
        run.poll()
        try run.respond(ClientRun.created(location: location))
        #expect(run.takeEvents() == [.offerNeeded, .failed(.badResponse(status: 201, problem))])
        #expect(run.hasEnded)
    }

    @Test func `A session is found behind a proxy that serves the server in a folder`() throws {
        var run = try ClientRun(.watch, at: "https://example.org/live/rill/whep/stage")
        run.poll()
        try run.respond(ClientRun.created(links: ["</session/1/layer>; rel=\"urn:ietf:params:whep:ext:core:layer\""]))
        run.client.noteConnected(at: run.now)
        run.client.select("low", at: run.now)
        run.poll()
        let targets = ["session/1/layer", "live/session/1/layer", "live/rill/session/1/layer"]
        for target in targets.dropLast() {
            #expect(try run.respond(ClientRun.problem(404, "nothing")).target == "https://example.org/" + target)
        }
        #expect(try run.respond(WHIPResponse(200)).target == "https://example.org/" + targets[2])
        #expect(run.takeEvents().last == .layerSelected("low"))
        run.client.close(at: run.now)
        run.poll()
        // Where it was found, and nowhere else.
        let end = try run.respond(ClientRun.problem(404, "gone"))
        #expect(end.method == "DELETE" && end.target == "https://example.org/live/rill/session/1")
        #expect(run.hasEnded && run.requests.isEmpty)
    }

    @Test(arguments: ["https://example.org/session/1", "../session/1", "/rill/session/1"])
    func `A session whose place is known is not looked for`(location: String) throws {
        var run = try ClientRun(.publish, at: "https://example.org/rill/whip/stage")
        run.poll()
        try run.respond(ClientRun.created(location: location))
        run.client.close(at: run.now)
        run.poll()
        try run.respond(ClientRun.problem(404, "gone"))
        #expect(run.hasEnded && run.requests.isEmpty)
    }

    @Test(arguments: [nil, ""], [false, true])
    func `A session without a location goes on, and is neither changed nor ended at the server`(
        _ location: String?, isEnded: Bool
    ) throws {
        var run = try ClientRun()
        run.poll()
        try run.respond(ClientRun.created(location: location))
        #expect(run.takeEvents() == [.offerNeeded, .answered(WHIPAnswer(text: ClientRun.answer, session: nil))])
        run.client.noteConnected(at: run.now)
        run.client.trickle([SDPFragment.Section(mid: "0", candidates: ["candidate:1"], isEnd: true)], at: run.now)
        run.poll()
        #expect(run.takeEvents() == [.candidatesRefused(.badResponse(status: 201, .noLocation))])
        if isEnded {
            run.client.close(at: run.now)
            run.poll()
            #expect(run.hasEnded && run.requests.isEmpty)
        } else {
            run.client.restartICE(ClientRun.offer, at: run.now)
            run.poll()
            #expect(run.takeEvents().first == .sessionLost(.badResponse(status: 201, .noLocation)))
            #expect(!run.hasEnded && run.requests.isEmpty)
        }
    }

    @Test func `A session whose answer cannot be used is ended at the server`() throws {
        for (response, problem): (WHIPResponse, WHIPResponseProblem) in [
            (ClientRun.created(type: "text/html"), .contentType("text/html")),
            (ClientRun.created(body: ""), .emptyBody),
        ] {
            var run = try ClientRun()
            run.poll()
            try run.respond(response)
            #expect(run.takeEvents() == [.offerNeeded, .failed(.badResponse(status: 201, problem))])
            #expect(try run.request().request.method == "DELETE")
            #expect(run.hasEnded)
        }
        var run = try ClientRun()
        run.poll()
        try run.respond(ClientRun.created(body: String(repeating: "a", count: WHIPClient.maximumResponseLength + 1)))
        #expect(
            run.takeEvents() == [
                .offerNeeded, .failed(.badResponse(status: 201, .tooLong(limit: WHIPClient.maximumResponseLength))),
            ])
    }

    @Test(
        arguments: [
            ("ftp://example.org/", .unsupportedScheme("ftp")), ("example.org/whip", .notAbsolute),
            ("https:///x", .noHost),
            ("https://me:pw@example.org/", .hasUser), ("https://example.org:0/", .badPort("0")),
            ("https://ex ample.org/", .badCharacter),
        ] as [(String, WHIPURLProblem)])
    func `A URL that cannot be used is refused at once`(_ url: String, _ problem: WHIPURLProblem) {
        #expect(throws: WHIPClientError.badURL(url, problem)) { try ClientRun(.publish, at: url) }
    }

    @Test func `A token cannot add a header field`() {
        for token in ["", "a b", "a\r\nEvil: 1", String(repeating: "a", count: 4097), "ü"] {
            #expect(throws: WHIPClientError.badToken) { try ClientRun(.publish, WHIPClientSettings(token: token)) }
        }
    }

    // MARK: Redirections

    @Test func `Redirections are followed, the token stays at home, and the session gets it`() throws {
        var run = try ClientRun(.publish, WHIPClientSettings(token: "t"))
        run.poll()
        try run.respond(WHIPResponse(307, headers: WHIPHeaders([.init("Location", "/other")])))
        let second = try run.respond(
            WHIPResponse(308, headers: WHIPHeaders([.init("Location", "https://media.example.org/x")])))
        #expect(second.target == "https://example.org/other" && second.headers["Authorization"] == "Bearer t")
        let third = try run.respond(ClientRun.created())
        #expect(third.target == "https://media.example.org/x" && third.headers["Authorization"] == nil)
        #expect(third.method == "POST" && third.body == ClientRun.offer)
        run.client.close(at: run.now)
        run.poll()
        let farewell = try run.request().request
        #expect(farewell.target == "https://media.example.org/session/1")
        #expect(farewell.headers["Authorization"] == "Bearer t")
    }

    @Test func `Redirections in a circle, and out of HTTPS, end it`() throws {
        var run = try ClientRun()
        run.poll()
        var count = 0
        while !run.hasEnded {
            try run.respond(WHIPResponse(307, headers: WHIPHeaders([.init("Location", "/whip/stage")])))
            count += 1
        }
        #expect(count == 6)
        #expect(run.takeEvents() == [.offerNeeded, .failed(.tooManyRedirections(limit: 5))])

        run = try ClientRun()
        run.poll()
        try run.respond(WHIPResponse(307, headers: WHIPHeaders([.init("Location", "http://example.org/whip/stage")])))
        #expect(run.takeEvents().last == .failed(.badResponse(status: 307, .badLocation(.leavesEncryption))))
    }

    // MARK: The end

    @Test func `An end while the offer is under way ends the session that it makes`() throws {
        var run = try ClientRun()
        run.poll()
        run.client.close(at: run.now)
        run.poll()
        try run.respond(ClientRun.created())
        #expect(try run.respond(WHIPResponse(404)).method == "DELETE")
        #expect(run.hasEnded && run.takeEvents() == [.offerNeeded])
    }

    @Test func `An end waits for three seconds at most`() throws {
        for isInSession in [true, false] {
            var run = try isInSession ? ClientRun.inSession() : ClientRun()
            run.poll()
            run.client.close(at: run.now)
            run.poll()
            #expect(run.requests.count == 1)
            run.pass(.milliseconds(2999))
            #expect(!run.hasEnded)
            run.pass(.milliseconds(1))
            #expect(run.hasEnded)
        }
    }

    @Test func `Before there is a request, an end is at once`() throws {
        var run = try ClientRun()
        run.poll(offer: nil)
        run.client.close(at: run.now)
        run.poll()
        #expect(run.hasEnded && run.requests.isEmpty)
        // Nothing follows.
        run.client.setOffer(ClientRun.offer, at: run.now)
        run.client.close(at: run.now)
        run.client.noteFailed("", at: run.now)
        run.client.restartICE(ClientRun.offer, at: run.now)
        run.client.trickle([SDPFragment.Section(mid: "0")], at: run.now)
        run.client.select("high", at: run.now)
        run.client.insert(ClientRun.created(), to: 1, at: run.now)
        run.poll()
        #expect(run.requests.isEmpty && run.takeEvents() == [.offerNeeded])
    }
}
