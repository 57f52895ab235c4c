import RillCore
import RillTestSupport
import RillWHIP
import Testing

@Suite("A WHIP client tries again, or not")
struct WHIPClientRetryTests {
    /// The times of the first requests if each fails at once.
    private func requestTimes(_ run: inout ClientRun, count: Int, _ fail: (inout ClientRun) throws -> Void) throws
        -> [Double]
    {
        var times: [Double] = []
        run.poll()
        while times.count < count {
            times.append(run.now.seconds)
            try fail(&run)
            run.pass(run.wakeTime - run.now)
        }
        return times
    }

    @Test func `Without a connection the pauses double up to two seconds`() throws {
        var run = try ClientRun()
        let times = try requestTimes(&run, count: 8) { try $0.refuseConnection() }
        #expect(times == [0, 0.25, 0.75, 1.75, 3.75, 5.75, 7.75, 9.75])
        #expect(
            run.takeEvents().prefix(3) == [
                .offerNeeded, .retrying(after: .milliseconds(250), .noConnection("connection refused")), .offerNeeded,
            ])
        // A success makes the next pause short again.
        try run.respond(ClientRun.created())
        run.client.noteConnected(at: run.now)
        run.pass(.seconds(5))
        run.client.noteFailed("gone", at: run.now)
        run.poll()
        #expect(run.takeEvents().last == .retrying(after: .milliseconds(250), .connectionFailed("gone")))
    }

    @Test func `A client reconnects within 2 s after a server was down for 3 s`() throws {
        var run = try ClientRun.inSession()
        run.client.noteFailed("consent lost", at: run.now)
        run.poll()
        run.requests = []
        while run.now.seconds < 3 {
            run.pass(run.wakeTime - run.now)
            if run.now.seconds < 3 { try run.refuseConnection() }
        }
        try run.respond(ClientRun.created(location: "/session/2"))
        #expect(run.now.seconds <= 5)
        #expect(run.takeEvents().contains { if case .answered = $0 { true } else { false } })
    }

    @Test(arguments: [500, 502, 503, 504, 599, 408, 425, 429])
    func `A server that is not ready is retried`(_ status: Int) throws {
        var run = try ClientRun()
        run.poll()
        try run.respond(ClientRun.problem(status, "later"))
        #expect(
            run.takeEvents() == [
                .offerNeeded, .retrying(after: .milliseconds(250), .unavailable(status: status, detail: "later")),
            ])
        run.pass(.milliseconds(250))
        #expect(try run.request().request.method == "POST")
    }

    @Test(arguments: [400, 401, 403, 404, 405, 409, 410, 413, 415, 422, 451, 501, 505])
    func `A permanent refusal ends the client`(_ status: Int) throws {
        var run = try ClientRun(.publish)
        run.poll()
        try run.respond(ClientRun.problem(status, "no\\u000a \\\"never\\\""))
        #expect(run.takeEvents() == [.offerNeeded, .failed(.refused(status: status, detail: "no  \"never\""))])
        #expect(run.hasEnded)
    }

    @Test(arguments: [404, 409])
    func `A viewer waits for a stream without a publisher`(_ status: Int) throws {
        var run = try ClientRun(.watch)
        let times = try requestTimes(&run, count: 4) { run in
            try run.respond(ClientRun.problem(status, "nobody publishes it"))
        }
        #expect(times == [0, 0.25, 0.75, 1.75])
    }

    @Test func `A counter-offer is not supported`() throws {
        var run = try ClientRun(.watch)
        run.poll()
        try run.respond(
            WHIPResponse(406, headers: WHIPHeaders([.init("Content-Type", "application/sdp")]), body: "v=0"))
        #expect(run.takeEvents().last == .failed(.counterOffer))
    }

    @Test(arguments: [100, 204, 302, 303, 304, 0, -1, 600, Int.max, Int.min])
    func `An unexpected status ends the client`(_ status: Int) throws {
        var run = try ClientRun()
        run.poll()
        try run.respond(WHIPResponse(status))
        #expect(run.takeEvents().last == .failed(.badResponse(status: status, .unexpectedStatus)))
    }

    @Test(arguments: [
        ("1", 1_000), ("30", 30_000), ("0", 250), ("3600", 60_000), ("999999999", 60_000), ("9999999999", 250),
        ("-5", 250), ("Fri, 31 Dec 1999 23:59:59 GMT", 250), ("", 250), ("1.5", 250),
    ])
    func `Retry-After is respected, up to a minute`(_ value: String, _ milliseconds: Int) throws {
        var run = try ClientRun()
        run.poll()
        try run.respond(ClientRun.problem(503, "busy", retryAfter: value))
        #expect(run.wakeTime == .zero + .milliseconds(milliseconds))
    }

    @Test func `A request times out after ten seconds, and its session is ended`() throws {
        var run = try ClientRun()
        run.poll()
        let late = try run.request()
        run.pass(.seconds(10))
        #expect(
            run.takeEvents() == [.offerNeeded, .retrying(after: .milliseconds(250), .timedOut(after: .seconds(10)))])
        run.client.insert(ClientRun.created(location: "/late"), to: late.id, at: run.now)
        run.poll()
        let farewell = try run.request()
        #expect(farewell.request.method == "DELETE" && farewell.request.target == "https://example.org/late")
        // Once.
        run.client.insert(ClientRun.created(location: "/late"), to: late.id, at: run.now)
        run.client.insert(WHIPResponse(200), to: farewell.id, at: run.now)
        run.poll()
        #expect(run.requests.isEmpty)
    }

    @Test func `Sessions that end soon are retried more slowly`() throws {
        var run = try ClientRun()
        var times: [Double] = []
        run.poll()
        for _ in 0..<6 {
            times.append(run.now.seconds)
            try run.respond(ClientRun.created())
            run.client.noteConnected(at: run.now)
            run.pass(.milliseconds(500))
            run.client.noteFailed("the server has closed it", at: run.now)
            run.poll()
            run.requests = []
            run.pass(run.wakeTime - run.now)
        }
        #expect(times == [0, 0.75, 1.75, 3.25, 4.75, 6.25])
    }

    @Test func `After the time for connecting it gives up`() throws {
        var settings = WHIPClientSettings()
        settings.connectTimeout = .seconds(5)
        var run = try ClientRun(.publish, settings)
        run.poll()
        while !run.hasEnded {
            try run.refuseConnection()
            if !run.hasEnded { run.pass(run.wakeTime - run.now) }
        }
        // The attempts are 0.25, 0.5, 1 and 2 s apart, and the last one is at the limit.
        #expect(run.now.seconds == 5)
        #expect(
            run.takeEvents().last
                == .failed(
                    .gaveUp(
                        after: .seconds(5), "no connection with the server: connection refused")))
    }

    /// A server that asks for a minute is not asked again a second later.
    @Test(arguments: [("1", 2.0), ("60", 0)])
    func `The last attempt is made at the limit, unless the server asks for more`(retryAfter: String, end: Double)
        throws
    {
        var settings = WHIPClientSettings()
        settings.connectTimeout = .seconds(2)
        var run = try ClientRun(.watch, settings)
        run.poll()
        while !run.hasEnded {
            run.pass(.milliseconds(50))
            try run.respond(ClientRun.problem(404, "nobody", retryAfter: retryAfter))
            if !run.hasEnded { run.pass(run.wakeTime - run.now) }
        }
        #expect(run.now.seconds == end + 0.05)
    }

    @Test func `An attempt takes no longer than the time that is left, or a second`() throws {
        var settings = WHIPClientSettings()
        settings.connectTimeout = .seconds(3)
        var client = try WHIPClient(.publish, at: "https://example.org/whip/stage", settings, from: .zero)
        func timeout(at now: MediaTime) -> MediaDuration? {
            guard case .event(.offerNeeded) = client.poll(at: now) else { return nil }
            client.setOffer(ClientRun.offer, at: now)
            guard case .send(_, let id, let timeout) = client.poll(at: now) else { return nil }
            client.fail(id, reason: "refused", at: now)
            while case .event = client.poll(at: now) {}
            return timeout
        }
        #expect(timeout(at: .zero) == .seconds(3))
        #expect(timeout(at: .zero + .seconds(1)) == .seconds(2))
        #expect(timeout(at: .zero + .milliseconds(2900)) == .seconds(1))
    }

    @Test func `The time for connecting counts from the loss of a connection`() throws {
        var settings = WHIPClientSettings()
        settings.connectTimeout = .seconds(5)
        var run = try ClientRun.inSession(.publish, settings)
        run.pass(.seconds(100))
        run.client.noteFailed("gone", at: run.now)
        run.poll()
        #expect(try run.request().request.method == "DELETE")
        #expect(!run.hasEnded)
        run.pass(.milliseconds(250))
        try run.respond(ClientRun.created())
        // A session that never connects counts for nothing.
        run.pass(.seconds(4))
        run.client.noteFailed("again", at: run.now)
        run.poll()
        #expect(!run.hasEnded)
        run.requests = []
        run.pass(.milliseconds(500))
        try run.refuseConnection()
        // The last attempt is at the limit, 5 s after the loss.
        #expect(!run.hasEnded && run.wakeTime.seconds == 105)
        run.pass(run.wakeTime - run.now)
        try run.refuseConnection()
        #expect(run.hasEnded)
    }

    @Test func `A reconnecting publisher requests the stream only if it is free, and ends otherwise`()
        throws
    {
        var run = try ClientRun()
        run.poll()
        // The first time it takes the stream.
        #expect(try run.respond(ClientRun.created()).headers["If-None-Match"] == nil)
        run.client.noteConnected(at: run.now)
        run.client.noteFailed("closed by the server", at: run.now)
        run.poll()
        #expect(try run.request().request.method == "DELETE")
        run.pass(.milliseconds(250))
        // It names its own session, by the entity tag.
        let request = try run.respond(ClientRun.problem(412, "taken"))
        #expect(request.headers["If-Match"] == "\"e1\"" && request.headers["If-None-Match"] == nil)
        // It might have been its own session: that is ended once more, and then another publisher has the stream.
        #expect(try run.request().request.method == "DELETE")
        run.pass(.milliseconds(500))
        try run.respond(ClientRun.problem(412, "taken"))
        #expect(run.takeEvents().last == .failed(.replaced(detail: "taken")))
        #expect(run.hasEnded)
    }

    @Test(arguments: [nil, "W/\"e1\""])
    func `A publisher without a strong entity tag requests a stream that is free`(tag: String?) throws {
        var run = try ClientRun.inSession(answer: ClientRun.created(etag: tag))
        run.client.noteFailed("gone", at: run.now)
        run.poll()
        run.requests = []
        run.pass(.milliseconds(250))
        let request = try run.request().request
        #expect(request.headers["If-Match"] == nil && request.headers["If-None-Match"] == "*")
    }

    @Test func `A reconnecting publisher's timeout follows its server's response time`() throws {
        for (took, timeout) in [(0.1, 2.0), (0.6, 2.4), (2, 8), (5, 10)] {
            var run = try ClientRun()
            run.poll()
            run.pass(.seconds(took))
            try run.respond(ClientRun.created())
            run.client.noteFailed("gone", at: run.now)
            run.poll()
            run.requests = []
            run.pass(.milliseconds(250))
            let start = run.now
            _ = try run.request()
            #expect((run.wakeTime - start).seconds == timeout, "\(took)")
        }
    }

    @Test func `A publisher whose own session was still there comes back`() throws {
        var run = try ClientRun.inSession()
        run.client.noteFailed("the network was away", at: run.now)
        run.poll()
        run.requests = []
        run.pass(.milliseconds(250))
        try run.respond(ClientRun.problem(412, "taken"))
        run.requests = []
        run.pass(.milliseconds(500))
        try run.respond(ClientRun.created(location: "/session/2"))
        #expect(!run.hasEnded)
        #expect(run.takeEvents().contains { if case .answered = $0 { true } else { false } })
    }

    @Test func `A reconnecting viewer sends no condition`() throws {
        var run = try ClientRun.inSession(.watch)
        run.client.noteFailed("gone", at: run.now)
        run.poll()
        run.requests = []
        run.pass(.milliseconds(250))
        #expect(try run.request().request.headers["If-None-Match"] == nil)
    }
}
