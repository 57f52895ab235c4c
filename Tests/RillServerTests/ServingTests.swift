#if Server
import Glibc
import RillTestSupport
import RillWHIP
import Testing

/// A whole server, over a socket.
@Suite(.serialized) struct ServingTests {
    @Test func `A session is made, changed, restarted and deleted once`() throws {
        let server = try ServerProcess([
            "--ice-server", "stun:stun.example.net", "--ice-server", "turn:t.example.net,me,pass,word",
        ])
        let made = try server.post("/whip/stage")
        #expect(made.status == 201 && made.body == MemoryStreamHost.answer)
        #expect(made.headers["Content-Type"] == "application/sdp")
        #expect(
            made.headers.values(of: "Link") == [
                "<stun:stun.example.net>; rel=\"ice-server\"",
                "<turn:t.example.net>; rel=\"ice-server\"; username=\"me\"; credential=\"pass,word\"; credential-type=\"password\"",
            ])
        let path = try #require(made.headers["Location"])
        let tag = try #require(made.headers["ETag"])
        let type = "Content-Type: application/trickle-ice-sdpfrag"
        let candidate = "m=audio 9 RTP/AVP 0\r\na=mid:0\r\na=candidate:1 1 udp 1 192.0.2.1 9 typ host\r\n"
        #expect(try server.send("PATCH", path, [type, "If-Match: \(tag)"], candidate).status == 204)
        #expect(try server.send("PATCH", path, [type], candidate).status == 428)
        #expect(try server.send("PATCH", path, [type, "If-Match: \"x\""], candidate).status == 412)
        let credentials = "a=ice-ufrag:other\r\na=ice-pwd:0123456789abcdefghijkl\r\n"
        let restarted = try server.send("PATCH", path, [type, "If-Match: *"], credentials)
        #expect(restarted.status == 200 && restarted.headers["ETag"] != tag)
        #expect(try SDPFragment(parsing: restarted.body).usernameFragment == "ours")
        #expect(try server.send("DELETE", path).status == 200)
        #expect(try server.send("DELETE", path).status == 404)
    }

    @Test func `A viewer finds the stream in the list, and chooses a layer`() throws {
        let server = try ServerProcess()
        #expect(try server.post("/whep/stage").headers["Retry-After"] == "1")
        _ = try server.post("/whip/stage")
        let viewer = try server.post("/whep/stage")
        #expect(viewer.status == 201)
        let list = try server.send("GET", "/streams")
        #expect(list.status == 200 && list.body.contains("\"name\":\"stage\",\"codec\":\"test\",\"viewerCount\":1"))
        let layer = (viewer.headers["Location"] ?? "") + "/layer"
        #expect(viewer.headers.values(of: "Link").last == "<\(layer)>; rel=\"urn:ietf:params:whep:ext:core:layer\"")
        let type = "Content-Type: application/json"
        #expect(try server.send("POST", layer, [type], #"{"encodingId":"low"}"#).status == 200)
        #expect(try server.send("POST", layer, [type], #"{"encodingId":"none"}"#).status == 422)
    }

    @Test func `Health, metrics and the page are served, and only read`() throws {
        let server = try ServerProcess()
        _ = try server.post("/whip/stage")
        #expect(try server.send("GET", "/healthz").body == "ok\n")
        let page = try server.send("GET", "/?x")
        #expect(
            page.headers["Content-Type"] == "text/html; charset=utf-8" && page.body.contains("<title>Streams – Rill"))
        #expect(page.headers["Content-Security-Policy"]?.contains("default-src 'self'") == true)
        let reading = try RawConnection(port: server.port)
        for (path, host) in [
            ("/", "localhost"), ("/healthz", "localhost"), ("/streams", "localhost"), ("/nothing", "localhost"),
            ("/session/none", "localhost"), ("/", "example.net"), ("/whip/%", "localhost"),
        ] {
            // On one connection: a body after a response to HEAD would be read as the next response.
            func get(_ method: String) -> WHIPResponse? {
                reading.send("\(method) \(path) HTTP/1.1\r\nHost: \(host)\r\n\r\n")
                return reading.response(seconds: 5, toHEAD: method == "HEAD")
            }
            let (head, whole) = (try existing(get("HEAD")), try existing(get("GET")))
            #expect(head.status == whole.status, "\(path)")
            let length = "\(whole.body.utf8.count)"
            #expect(length != "0" && head.headers["Content-Length"] == length, "\(path), \(host)")
        }
        for path in ["/", "/healthz", "/metrics"] {
            let response = try server.send("POST", path)
            #expect(response.status == 405 && response.headers["Allow"] == "GET, HEAD")
        }
        let metrics = try server.send("GET", "/metrics")
        #expect(metrics.headers["Content-Type"] == "text/plain; version=0.0.4; charset=utf-8")
        for line in [
            "# TYPE rill_http_requests_total counter", "rill_http_requests_total{method=\"POST\",status=\"201\"} 1",
            "rill_http_requests_total{method=\"POST\",status=\"405\"} 3", "rill_streams 1", "rill_viewers 0",
            "# TYPE rill_http_request_seconds histogram",
        ] {
            #expect(metrics.body.contains(line + "\n"), "\(line)")
        }
    }

    @Test(arguments: [SIGTERM, SIGINT, SIGHUP])
    func `A signal ends it well, also while clients are connected`(signal: Int32) throws {
        let server = try ServerProcess()
        _ = try server.post("/whip/stage")
        let idle = try RawConnection(port: server.port)
        #expect(idle.send("GET /healthz HTTP/1.1\r\nHost: localhost\r\n\r\n") && idle.response()?.status == 200)
        #expect(try server.end(by: signal) == 0)
        #expect(throws: TestFailure.self) { _ = try RawConnection(port: server.port) }
    }

    @Test func `Under nohup it goes on without its terminal`() throws {
        let server = try ServerProcess(["--verbose"], ignoringHangup: true)
        try server.send(SIGHUP)
        #expect(try server.send("GET", "/healthz").status == 200)
        #expect(try server.end(by: SIGTERM) == 0)
        #expect(server.log.contains("SIGTERM") && !server.log.contains("SIGHUP"), "\(server.log)")
    }

    @Test func `A signal ends it well, also while a client sends`() throws {
        let server = try ServerProcess()
        let slow = try RawConnection(port: server.port)
        slow.send(
            "POST /whip/a HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/sdp\r\nContent-Length: 100\r\n\r\nv=0"
        )
        // Answered behind the other one: the server has seen it.
        #expect(try server.send("GET", "/healthz").status == 200)
        let start = ContinuousClock.now
        #expect(try server.end() == 0)
        #expect(start.duration(to: .now) < .seconds(15))
    }

    @Test func `New sessions are logged, and neither tokens nor sessions' identifiers`() throws {
        let server = try ServerProcess(["--verbose"])
        let session = try server.post("/whip/stage?token=secret", ["Authorization: Bearer secret"])
        _ = try server.send("DELETE", try #require(session.headers["Location"]))
        #expect(try server.end() == 0)
        #expect(server.log.contains("POST /whip/stage 201") && server.log.contains("DELETE /session/… 200"))
        #expect(!server.log.contains("secret") && !server.log.contains("/s1"))
    }

    @Test func `Without a secret it listens on loopback, says so, and nowhere else`() throws {
        let server = try ServerProcess()
        #expect(server.greeting.hasPrefix("Listening on http://127.0.0.1:"))
        #expect(server.greeting.contains("for this machine only"))
        let open = try rill(["serve", "--without-media", "--http", "0", "--host", "0.0.0.0"])
        #expect(open.status == 1 && open.text.contains("--secret-file"))
    }

    @Test(arguments: [
        ["--secret-file", "/none"], ["--tls", "/none"], ["--tls", "/none", "/none"], ["--ice-server", "http://x"],
        ["--http", "65536"], ["--connections", "0"],
    ])
    func `Options that cannot be meant are refused with words`(options: [String]) throws {
        let outcome = try rill(["serve", "--without-media"] + options)
        #expect(outcome.status != 0 && outcome.text.hasPrefix("Error: "), "\(outcome.text)")
    }
}
#endif
