#if Server
import Foundation
import RillRooms
import RillTestSupport
import RillWHIP
import Testing

/// What one client may take, and what it may not see.
@Suite struct ClientLimitTests {
    private static let head = "Host: localhost\r\nContent-Type: application/sdp\r\n"

    /// A server with a secret on loopback, and what prints tokens of it.
    private struct Guarded {
        let folder: TemporaryFolder
        let secret: String
        let server: ServerProcess

        init(_ arguments: [String] = [], hasMedia: Bool = false) throws {
            folder = TemporaryFolder()
            secret = try folder.write("0123456789abcdef0123456789abcdef", as: "secret")
            server = try ServerProcess(
                ["--secret-file", secret, "--host", "127.0.0.1"] + arguments, hasMedia: hasMedia)
        }

        func field(_ options: [String]) throws -> String { "Authorization: Bearer " + (try token(options)) }

        func token(_ options: [String]) throws -> String {
            let made = try rill(["token", "--secret-file", secret] + options)
            guard made.status == 0 else { throw TestFailure(made.text) }
            return made.text.trimmingCharacters(in: .whitespacesAndNewlines)
        }
    }

    @Test func `Without a token the answer is 401 before the body is there`() throws {
        let guarded = try Guarded()
        for path in ["/whip/a", "/whep/a"] {
            let connection = try RawConnection(port: guarded.server.port)
            connection.send("POST \(path) HTTP/1.1\r\n\(Self.head)Content-Length: 200000\r\n\r\n")
            #expect(connection.response(seconds: 5)?.status == 401)
        }
        let unknown = try RawConnection(port: guarded.server.port)
        unknown.send("PATCH /session/none HTTP/1.1\r\n\(Self.head)Content-Length: 200000\r\n\r\n")
        #expect(unknown.response(seconds: 5)?.status == 404)
        // With one it is waited for.
        let field = try guarded.field(["--publish", "a"])
        let connection = try RawConnection(port: guarded.server.port)
        connection.send("POST /whip/a HTTP/1.1\r\n\(Self.head)\(field)\r\nContent-Length: 5\r\n\r\n")
        #expect(connection.response(seconds: 0.5) == nil)
        connection.send("v=0\r\n")
        #expect(connection.response()?.status == 201)
    }

    @Test func `Metrics need a token that allows them, where anything needs one`() throws {
        let guarded = try Guarded()
        let server = guarded.server
        let missing = try server.send("GET", "/metrics")
        #expect(missing.status == 401 && missing.headers["WWW-Authenticate"] == "Bearer realm=\"rill\"")
        #expect(!missing.body.contains("rill_"))
        #expect(try server.send("GET", "/metrics", ["Authorization: Bearer nonsense"]).status == 401)
        #expect(try server.send("GET", "/metrics", [guarded.field(["--watch", "*", "--publish", "*"])]).status == 403)
        let metrics = try server.send("GET", "/metrics", [guarded.field(["--metrics"])])
        #expect(metrics.status == 200 && metrics.body.contains("rill_streams 0\n"))
        #expect(metrics.body.contains("rill_http_requests_refused_total 0\n"))
        // And that one allows nothing else.
        #expect(try server.post("/whip/a", [guarded.field(["--metrics"])]).status == 403)
    }

    @Test(arguments: ["/", "/healthz", "/metrics", "/streams", "/whip/a"])
    func `On loopback only names of this machine are answered`(path: String) throws {
        let server = try ServerProcess(["--allow-host", "rill.example.org"])
        func status(_ host: String) throws -> Int? {
            let connection = try RawConnection(port: server.port)
            connection.send("\(path == "/whip/a" ? "OPTIONS" : "GET") \(path) HTTP/1.1\r\n\(host)\r\n")
            return connection.response()?.status
        }
        for host in ["Host: evil.example.org\r\n", "Host: localhost.evil.example.org:80\r\n", "Host: 0.0.0.0\r\n", ""] {
            #expect(try [421, 400].contains(status(host)), "\(host)")
        }
        for host in ["localhost", "127.0.0.1:8080", "[::1]", "rill.example.org"] {
            #expect(try [200, 204].contains(status("Host: \(host)\r\n")), "\(host)")
        }
    }

    @Test func `An address has so many connections, and another one when one ends`() throws {
        let server = try ServerProcess(["--address-connections", "3"])
        func isServed(_ connection: RawConnection) -> Bool {
            connection.send("GET /healthz HTTP/1.1\r\nHost: localhost\r\n\r\n")
            return connection.response(seconds: 5)?.status == 200
        }
        var others = try (0..<3).map { _ in try RawConnection(port: server.port) }
        for other in others { #expect(isServed(other)) }
        for _ in 0..<5 { #expect(try RawConnection(port: server.port).isClosed(within: 5)) }
        let metrics = others[0]
        metrics.send("GET /metrics HTTP/1.1\r\nHost: localhost\r\n\r\n")
        #expect(metrics.response()?.body.contains("rill_http_connections_refused_total 5\n") == true)
        others.removeLast()
        var isBack = false
        for _ in 0..<100 where !isBack { isBack = isServed(try RawConnection(port: server.port)) }
        #expect(isBack)
    }

    @Test func `1024 idle connections of one address leave room for others, in rooms too`() throws {
        let server = try ServerProcess(["--address-connections", "8", "--connections", "32"], hasMedia: true)
        var idle: [RawConnection] = []
        for _ in 0..<1024 { idle.append(try RawConnection(port: server.port)) }
        // Some of them have begun a request, or a WebSocket.
        for connection in idle.prefix(4) { connection.send("GET /rooms HTTP/1.1\r\nHost: localhost\r\n") }
        let other = try RawConnection(port: server.port, from: 2)
        var isCounted = false
        for _ in 0..<1000 where !isCounted {
            other.send("GET /metrics HTTP/1.1\r\nHost: localhost\r\n\r\n")
            isCounted = other.response()?.body.contains("rill_http_connections_refused_total 1016\n") == true
        }
        #expect(isCounted)
        let member = try SocketClient(port: server.port, from: 2)
        guard case .welcome = try member.ask(.join(JoinRequest(room: "lobby", name: "Anna"))) else {
            throw TestFailure("not in")
        }
        // Their loops of events count them in no order of their own.
        #expect(idle.count { !$0.isClosed(within: 0.2) } == 8)
    }

    @Test func `A token and an address have so many sessions in rooms, which the metrics count`() throws {
        let guarded = try Guarded(["--token-sessions", "2", "--address-sessions", "3"], hasMedia: true)
        let port = guarded.server.port
        func join(_ name: String, _ token: String, from host: UInt8 = 1) throws -> (SocketClient, RoomError?) {
            let client = try SocketClient(port: port, from: host)
            let answer = try client.ask(.join(JoinRequest(room: "lobby", token: token, name: name)))
            if case .error(let error, to: _) = answer { return (client, error) }
            return (client, nil)
        }
        let one = try guarded.token(["--room", "lobby"])
        let other = try guarded.token(["--room", "lobby", "--room", "other"])
        let guests = try ["Anna", "Ben", "Carol"].map { try join($0, one) }
        #expect(guests.map(\.1) == [nil, nil, .tooManySessions(limit: 2)])
        let others = try ["Dora", "Emil"].map { try join($0, other) }
        #expect(others.map(\.1) == [nil, .tooManySessions(limit: 3)])
        #expect(try join("Finn", other, from: 2).1 == nil)
        let metrics = try guarded.server.send("GET", "/metrics", [guarded.field(["--metrics"])])
        #expect(metrics.body.contains("rill_room_sessions_refused_total 2\n"), "\(metrics.body)")
    }

    @Test func `An address has so many requests a second, each with its own where a proxy is trusted`() throws {
        let server = try ServerProcess(["--address-requests", "5", "--trusted-proxy", "127.0.0.1"])
        func send(_ address: String) throws -> WHIPResponse {
            try server.send("GET", "/streams", ["X-Forwarded-For: 198.51.100.77, \(address)"])
        }
        let statuses = try (0..<40).map { _ in try send("192.0.2.1").status }
        #expect(statuses.prefix(10).allSatisfy { $0 == 200 } && statuses.contains(429))
        let refused = try #require((0..<40).lazy.compactMap { _ in try? send("192.0.2.1") }.first { $0.status == 429 })
        #expect(refused.headers["Retry-After"] == "1" && refused.body.contains("\"status\":429"))
        #expect(try send("192.0.2.2").status == 200)
    }

    @Test func `Whoever opens a connection for TLS and says nothing is closed by the idle timeout`() throws {
        let folder = TemporaryFolder()
        let certificate = try TestCertificate()
        let server = try ServerProcess([
            "--idle-timeout", "1", "--tls", try folder.write(certificate.certificate, as: "cert.pem"),
            try folder.write(certificate.key, as: "key.pem"),
        ])
        let silent = try RawConnection(port: server.port)
        let slow = try RawConnection(port: server.port)
        slow.send([0x16, 0x03, 0x01, 0x02, 0x00])
        #expect(silent.isClosed(within: 10) && slow.isClosed(within: 10))
    }
}
#endif
