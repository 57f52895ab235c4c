#if Server
import RillCore
import RillTestSupport
import RillWHIP
import Testing

/// Bytes of strangers, on connections of their own.
@Suite struct UnknownPeerTests {
    private static let offer = "v=0\r\na=ice-ufrag:them\r\n"
    private static let fragment =
        "a=ice-ufrag:else\r\na=ice-pwd:0123456789abcdefghijkl\r\nm=audio 9 RTP/AVP 0\r\na=mid:0\r\n"

    private struct Seed {
        var line: String
        var fields: [String] = []
        var body = ""

        /// The request as a client sends it, with this body.
        func bytes(withBody body: [UInt8]) -> [UInt8] {
            let head = [line + " HTTP/1.1", "Host: localhost", "Content-Length: \(body.count)"] + fields
            return Array((head.joined(separator: "\r\n") + "\r\n\r\n").utf8) + body
        }

        var bytes: [UInt8] { bytes(withBody: Array(body.utf8)) }
    }

    private static let seeds = [
        Seed(
            line: "POST /whip/stage", fields: ["Content-Type: application/sdp", "Authorization: Bearer a.b.c"],
            body: offer),
        Seed(
            line: "POST /whep/st%61ge", fields: ["Content-Type: application/sdp", "Origin: http://localhost"],
            body: offer),
        Seed(
            line: "PATCH /session/s1",
            fields: ["Content-Type: application/trickle-ice-sdpfrag", "If-Match: \"s1.1\""],
            body: fragment),
        Seed(
            line: "PATCH /session/s2", fields: ["Content-Type: application/trickle-ice-sdpfrag", "If-Match: *"],
            body: fragment),
        Seed(
            line: "POST /session/s2/layer", fields: ["Content-Type: application/json"], body: "{\"encodingId\":\"low\"}"
        ),
        Seed(line: "DELETE /session/s3"), Seed(line: "GET /streams"),
        Seed(line: "OPTIONS /whip/stage", fields: ["Origin: null"]),
        Seed(line: "HEAD /", fields: ["Connection: close"]),
    ]

    /// Requests of which everything is mutated, and requests of which only the body is: HTTP's parser refuses most of
    /// the former.
    private static func inputs(count: Int) -> some Sequence<[UInt8]> {
        let chunked =
            "POST /whip/b HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/sdp\r\nTransfer-Encoding: chunked\r\n\r\n"
        let whole =
            seeds.map { $0.bytes } + [Array((chunked + "3\r\nv=0\r\n0\r\n\r\n").utf8), seeds.flatMap { $0.bytes }]
        let bodies = seeds.filter { !$0.body.isEmpty }
        let bodyBytes: [[UInt8]] = bodies.map { Array($0.body.utf8) }
        return zip(
            MutatedInputs(of: whole, count: count, using: SeededGenerator(seed: 41)),
            MutatedInputs(of: bodyBytes, count: count, using: SeededGenerator(seed: 42))
        ).lazy.enumerated().map { index, pair in
            index % 2 == 0 ? pair.0 : bodies[index / 2 % bodies.count].bytes(withBody: pair.1)
        }
    }

    @Test func `No mutation of requests brings the server down, and its memory stays flat`() throws {
        let server = try ServerProcess(["--idle-timeout", "5", "--request-timeout", "5", "--address-requests", "0"])
        let count = isLongRun ? 100_000 : 5000
        let right: Set = [200, 201, 204, 400, 401, 403, 404, 405, 411, 412, 413, 415, 421, 422, 428, 431, 503]
        var statuses: [Int: Int] = [:]
        var silentCount = 0
        var residents: [Int] = []
        let start = ContinuousClock.now
        for seed in Self.seeds[..<2] {
            let connection = try RawConnection(port: server.port)
            connection.send(seed.bytes)
            connection.finish()
            #expect(connection.response()?.status == 201, "\(seed.line)")
        }
        for (index, input) in Self.inputs(count: count).enumerated() {
            let connection = try RawConnection(port: server.port)
            connection.send(input)
            connection.finish()
            if let response = connection.response(seconds: 30) {
                statuses[response.status, default: 0] += 1
                if !right.contains(response.status) { Issue.record("request \(index): \(response)") }
            } else {
                silentCount += 1
            }
            connection.abandon()
            if index % (count / 5) == count / 5 - 1 {
                residents.append(try server.memory())
                #expect(try server.send("GET", "/healthz").status == 200)
            }
        }
        let growths = zip(residents.dropFirst(), residents).map { $0 - $1 }
        print(
            "\(count) requests in \(start.duration(to: .now)): \(statuses.sorted { $0.key < $1.key }),",
            "\(silentCount) without a response, \(residents.last ?? 0) bytes of memory, growth \(growths)")
        // What leaks grows in every round; what is kept for later does not.
        #expect(try #require(growths.min()) < 2 << 20, "\(growths)")
        #expect(statuses[201] != nil && statuses[400] != nil && statuses[404] != nil)
        #expect(server.isRunning)
        #expect(try server.end() == 0)
    }
}
#endif
