import RillCore
import RillFuzzTargets
import RillTestSupport
import RillWHIP
import Testing

/// Requests of unknown clients.
@Suite struct WHIPUnknownPeerTests {
    /// In a process of its own: the memory of others says nothing.
    @Test func `No mutation of requests crashes an endpoint, and memory stays flat`() async {
        await #expect(processExitsWith: .success) { try Self.sendMutatedRequests() }
    }

    private static func sendMutatedRequests() throws {
        // Mutations of good requests seldom lead to 422.
        let unsupported = "POST /whip/stage\nContent-Type: application/sdp\n\nv=0\r\na=rtpmap:96 H264/90000\r\n"
        let seeds = (WHIPRequest.goodMessages.map(\.text) + [unsupported]).map { Array($0.utf8) }
        let count = isLongRun ? 2_000_000 : isSanitized ? 20_000 : 150_000
        let host = MemoryStreamHost(sessionLimit: 4)
        let endpoint = WHIPEndpoint(host: host)
        let accesses = [
            StreamAccess.unrestricted, .unrestricted, .missing, .invalid, .limited(publish: .all, watch: .only([])),
        ]
        var statuses: [Int: Int] = [:]
        var meter = GrowthMeter()
        for (index, input) in MutatedInputs(of: seeds, count: count, using: SeededGenerator(seed: 31)).enumerated() {
            var request = WHIPRequest(message: String(decoding: input, as: UTF8.self))
            // Identifiers count up: name one that may be there.
            if index % 2 == 0, let first = host.sessions.keys.min() {
                request.target = request.target.replacing("/s1", with: "/" + first).replacing("/s2", with: "/" + first)
            }
            let response = endpoint.respond(to: request, access: accesses[index % accesses.count])
            statuses[response.status, default: 0] += 1
            if !response.isLawful { Issue.record("request \(index): \(response)") }
            if index % 1000 == 999 { endpoint.endSessions() }
            if index % (count / 5) == 0 { try meter.endRound() }
        }
        let growth = try existing(meter.least)
        note("\(count) requests: \(statuses.sorted { $0.key < $1.key }), \(growth) bytes of growth")
        #expect(isSanitized || growth < 4_000_000, "\(growth) bytes")
        // Mutations must reach every answer, not only the first checks.
        let expected: Set = [200, 201, 204, 400, 401, 403, 404, 405, 412, 415, 422, 428, 503]
        #expect(expected.subtracting(statuses.keys).isEmpty, "\(statuses)")
    }

    @Test func `Mutated fragments that parse are written and parsed alike`() {
        let seeds = [Array(SDPFragmentTests.lines.joined(separator: "\r\n").utf8)]
        for (index, input) in MutatedInputs(of: seeds, count: 100_000, using: SeededGenerator(seed: 32)).enumerated() {
            guard let fragment = try? SDPFragment(parsing: String(decoding: input, as: UTF8.self)) else { continue }
            #expect((try? SDPFragment(parsing: fragment.text)) == fragment, "input \(index)")
        }
    }
}
