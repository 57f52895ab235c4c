#if Server
import RillTestSupport
import RillWHIP
import Testing

/// What HTTP/1 asks of connections, of Host and of Expect (RFC 9110, RFC 9112).
@Suite(.serialized) struct RequestHeadTests {
    private static let offer = "v=0\r\na=ice-ufrag:them\r\n"

    private func head(_ line: String, _ fields: String...) -> String {
        ([line] + fields).joined(separator: "\r\n") + "\r\n\r\n"
    }

    private func post(_ path: String, version: String = "1.1") -> String {
        head(
            "POST \(path) HTTP/\(version)", "Host: localhost", "Content-Type: application/sdp",
            "Content-Length: \(Self.offer.utf8.count)", "Expect: 100-Continue")
    }

    @Test func `A client that waits for 100 before its body gets it, and then the response`() throws {
        let server = try ServerProcess()
        let connection = try RawConnection(port: server.port)
        for path in ["/whip/a", "/whip/b"] {
            connection.send(post(path))
            #expect(connection.response(seconds: 5)?.status == 100)
            connection.send(Self.offer)
            #expect(connection.response()?.status == 201)
        }
        connection.send(head("GET /healthz HTTP/1.1", "Host: localhost"))
        #expect(connection.response()?.status == 200)
    }

    @Test func `What is refused without its body gets no 100`() throws {
        let server = try ServerProcess()
        for (path, status) in [("/whip/a%20b", 400), ("/whep/a/b", 404), ("/session/none", 405)] {
            let connection = try RawConnection(port: server.port)
            connection.send(post(path))
            #expect(connection.response(seconds: 5)?.status == status, "\(path)")
        }
    }

    @Test func `A client of HTTP/1.0 gets no 100, and the connection ends with the response`() throws {
        let server = try ServerProcess()
        let posting = try RawConnection(port: server.port)
        posting.send(post("/whip/a", version: "1.0") + Self.offer)
        #expect(posting.response()?.status == 201 && posting.isClosed(within: 5))
        let reading = try RawConnection(port: server.port)
        reading.send(head("GET /healthz HTTP/1.0", "Host: localhost"))
        #expect(reading.response()?.status == 200 && reading.isClosed(within: 5))
        let staying = try RawConnection(port: server.port)
        for _ in 0..<2 {
            staying.send(head("GET /healthz HTTP/1.0", "Host: localhost", "Connection: keep-alive"))
            #expect(staying.response(seconds: 5)?.status == 200)
        }
    }

    @Test(arguments: ["Close", "TE, close"])
    func `A connection is closed on request, however that is written`(value: String) throws {
        let server = try ServerProcess()
        let connection = try RawConnection(port: server.port)
        connection.send(head("GET /healthz HTTP/1.1", "Host: localhost", "Connection: \(value)"))
        #expect(connection.response()?.status == 200 && connection.isClosed(within: 5))
    }

    @Test func `A request has one Host field, and one that cannot be read is refused with a reason`() throws {
        let server = try ServerProcess()
        for (request, reason) in [
            (head("GET /healthz HTTP/1.1"), "The request has no Host field."),
            (head("GET /healthz HTTP/1.1", "Host: localhost", "host: 127.0.0.1"), "The request has 2 Host fields"),
            (head("GET /healthz HTTP/1.1", "Host: localhost", "Content-Length: x"), "The request cannot be read: "),
            ("nonsense\r\n\r\n", "The request cannot be read: "),
        ] {
            let connection = try RawConnection(port: server.port)
            // What came before is answered.
            connection.send(head("GET /healthz HTTP/1.1", "Host: localhost") + request)
            #expect(connection.response()?.status == 200)
            let response = try #require(connection.response(seconds: 5), "\(request)")
            #expect(response.status == 400 && response.headers["Content-Type"] == "application/problem+json")
            #expect(response.body.contains("\"detail\":\"\(reason)"), "\(response.body)")
            #expect(connection.isClosed(within: 5))
        }
    }
}
#endif
