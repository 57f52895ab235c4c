#if Server
import RillWHIP
import Testing

/// Requests that are larger than they may be.
@Suite struct LargeRequestTests {
    private static let large = 10 << 20

    @Test func `A body of 10 MB is refused, and leaves no memory`() throws {
        let server = try ServerProcess()
        let piece = [UInt8](repeating: UInt8(ascii: "x"), count: 1 << 16)
        func sendLarge(_ framing: String, _ before: String, _ after: String) throws -> Int? {
            let connection = try RawConnection(port: server.port)
            connection.send(
                "POST /whip/a HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/sdp\r\n\(framing)\r\n\r\n")
            for _ in 0..<Self.large / piece.count {
                guard connection.send(Array(before.utf8) + piece + Array(after.utf8)) else { break }
            }
            return connection.response()?.status
        }
        var before = 0
        for round in 0..<8 {
            if round == 3 { before = try server.memory() }
            #expect(try sendLarge("Content-Length: \(Self.large)", "", "") == 413)
            #expect(try sendLarge("Transfer-Encoding: chunked", "10000\r\n", "\r\n") == 413)
        }
        let growth = try server.memory() - before
        #expect(growth < 4 << 20, "\(growth) bytes")
        #expect(try server.send("GET", "/healthz").status == 200)
    }

    @Test func `The largest body is read`() throws {
        let server = try ServerProcess()
        let type = ["Content-Type: application/sdp"]
        let largest = "v=0" + String(repeating: "x", count: (1 << 18) - 3)
        #expect(try server.send("POST", "/whip/a", type, largest).status == 201)
        #expect(try server.send("POST", "/whip/a", type, largest + "x").status == 413)
    }

    @Test(arguments: ["path", "field", "fields", "many", "method"])
    func `A header that is too large ends the connection, with 400 or without a word`(kind: String) throws {
        let server = try ServerProcess()
        let long = String(repeating: "x", count: 200_000)
        let request =
            switch kind {
            case "path": "GET /\(long) HTTP/1.1\r\nHost: localhost\r\n\r\n"
            case "method": "\(long) / HTTP/1.1\r\nHost: localhost\r\n\r\n"
            case "field": "GET / HTTP/1.1\r\nHost: localhost\r\nX: \(long)\r\n\r\n"
            case "fields":
                "GET / HTTP/1.1\r\nHost: localhost\r\n" + (0..<20).map { "X\($0): \(long.prefix(10_000))\r\n" }.joined()
                    + "\r\n"
            default: "GET / HTTP/1.1\r\nHost: localhost\r\n" + (0..<2000).map { "X\($0): 1\r\n" }.joined() + "\r\n"
            }
        let connection = try RawConnection(port: server.port)
        connection.send(request)
        let response = connection.response()
        #expect(
            response == nil || [400, 414, 431].contains(response?.status), "\(String(describing: response?.status))")
        #expect(try server.send("GET", "/healthz").status == 200)
    }

    @Test(arguments: [
        "GET / HTTP/1.1\r\nHost: localhost\r\nContent-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n",
        "GET / HTTP/1.1\r\nHost: localhost\r\nContent-Length: 5\r\nContent-Length: 6\r\n\r\nabcdef",
        "GET / HTTP/1.1\r\nHost: localhost\r\nContent-Length: -5\r\n\r\n", "GET / HTTP/9.9\r\n\r\n", "GET\r\n\r\n",
        "\u{16}\u{3}\u{1}",
        "GET / HTTP/1.1\r\nHost : a\r\n\r\n",
        "POST / HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n",
        "GET / HTTP/1.1\r\nHost: localhost\r\nContent-Length: 99999999999999999999999\r\n\r\n",
        "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n",
    ])
    func `What is not HTTP is refused or not answered, and harms nobody`(text: String) throws {
        let server = try ServerProcess()
        let connection = try RawConnection(port: server.port)
        connection.send(text)
        connection.finish()
        let response = connection.response()
        #expect(response == nil || (400..<500).contains(response?.status ?? 0), "\(String(describing: response))")
        #expect(try server.send("GET", "/healthz").status == 200)
    }
}
#endif
