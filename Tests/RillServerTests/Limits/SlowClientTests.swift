#if Server
import RillWHIP
import Testing

/// Clients that take their time.
@Suite struct SlowClientTests {
    private static let head =
        "POST /whip/a HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/sdp\r\nContent-Length: 100\r\n\r\n"

    /// Sends one byte every 100 ms until the server closes.
    ///
    /// - Returns: after how many seconds; `nil` if it still takes bytes after 20.
    private func trickle(_ connection: RawConnection) -> Double? {
        let start = ContinuousClock.now
        while start.duration(to: .now) < .seconds(20) {
            if connection.isClosed(within: 0.1) || !connection.send("v") {
                let (seconds, attoseconds) = start.duration(to: .now).components
                return Double(seconds) + Double(attoseconds) / 1e18
            }
        }
        return nil
    }

    @Test func `A header that never ends is cut off by the idle timeout`() throws {
        let server = try ServerProcess(["--idle-timeout", "1"])
        let connection = try RawConnection(port: server.port)
        connection.send("GET /healthz HTTP/1.1\r\nHost: ")
        let seconds = try #require(trickle(connection))
        #expect((0.5...10).contains(seconds))
    }

    @Test func `A connection that sends nothing is closed by the idle timeout`() throws {
        let server = try ServerProcess(["--idle-timeout", "1"])
        let fresh = try RawConnection(port: server.port)
        let used = try RawConnection(port: server.port)
        used.send("GET /healthz HTTP/1.1\r\nHost: localhost\r\n\r\n")
        #expect(used.response()?.status == 200)
        #expect(fresh.isClosed(within: 10) && used.isClosed(within: 10))
    }

    @Test func `A body that never ends is cut off by the request timeout, though it never rests`() throws {
        let server = try ServerProcess(["--request-timeout", "1"])
        let connection = try RawConnection(port: server.port)
        connection.send(Self.head)
        let seconds = try #require(trickle(connection))
        #expect((0.5...10).contains(seconds))
        #expect(try server.send("GET", "/streams").body == "[]")
    }

    @Test func `A body that goes on after it was refused is cut off too`() throws {
        let server = try ServerProcess(["--request-timeout", "1"])
        let connection = try RawConnection(port: server.port)
        let long = String(repeating: "x", count: 300_000)
        connection.send("POST /whip/a HTTP/1.1\r\nHost: localhost\r\nContent-Length: 1000000\r\n\r\n" + long)
        #expect(connection.response()?.status == 413)
        let seconds = try #require(trickle(connection))
        #expect(seconds < 10)
    }

    @Test func `Requests sent one behind the other are answered in order`() throws {
        let server = try ServerProcess()
        let connection = try RawConnection(port: server.port)
        for _ in 0..<200 {
            connection.send(
                "GET /healthz HTTP/1.1\r\nHost: localhost\r\n\r\nGET /streams HTTP/1.1\r\nHost: localhost\r\n\r\n")
        }
        for _ in 0..<200 { #expect(connection.response()?.body == "ok\n" && connection.response()?.body == "[]") }
    }

    @Test func `Connections behind the limit wait until another one ends`() throws {
        let server = try ServerProcess(["--connections", "2", "--idle-timeout", "30"])
        var others = [try RawConnection(port: server.port), try RawConnection(port: server.port)]
        for other in others {
            other.send("GET /healthz HTTP/1.1\r\nHost: localhost\r\n\r\n")
            #expect(other.response()?.status == 200)
        }
        let waiting = try RawConnection(port: server.port)
        waiting.send("GET /healthz HTTP/1.1\r\nHost: localhost\r\n\r\n")
        #expect(waiting.response(seconds: 0.5) == nil)
        others.removeLast()
        #expect(waiting.response()?.status == 200)
    }
}
#endif
