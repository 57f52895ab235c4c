import RillCore
import RillTestSupport
import RillWHIP
import Testing

@Suite("A WHIP client and hostile servers")
struct WHIPClientUnknownPeerTests {
    /// Good responses to what a client sends, as lines.
    private static let seeds: [[UInt8]] = [
        "201\nLocation: /s/1\nETag: \"e\"\nContent-Type: application/sdp\nLink: </l>; rel=\"urn:ietf:params:whep:ext:core:layer\"\n"
            + "Link: <turn:a?b>; rel=\"ice-server\"; username=\"u\\\"\"; credential=c, <stun:b>; rel=ice-server\n\n"
            + ClientRun.answer,
        "307\nLocation: https://example.org:8443/a/../b?c#d\n\n",
        "200\nETag: \"f\"\n\na=ice-ufrag:newa\r\na=ice-pwd:newa-and-eighteen-bytes\r\nm=video 9 X 96\r\na=mid:0\r\n"
            + "a=candidate:9 1 udp 5 192.0.2.77 9 typ host\r\na=end-of-candidates\r\n",
        "503\nRetry-After: 5\nContent-Type: application/problem+json\n\n{\"detail\":\"a\\u0041\",\"b\":[1,{\"c\":null}],\"title\":\"t\"}",
        "404\nContent-Type: text/plain\n\nnobody\n", "204\n\n", "412\n\n",
    ].map { Array($0.utf8) }

    private static func response(_ bytes: [UInt8]) -> WHIPResponse {
        var lines = String(decoding: bytes, as: UTF8.self).split(separator: "\n", omittingEmptySubsequences: false)[...]
        var response = WHIPResponse(lines.popFirst().flatMap { Int($0) } ?? 200)
        while let line = lines.popFirst(), !line.isEmpty {
            let parts = line.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false)
            response.headers.append(String(parts[0]), parts.count > 1 ? parts[1].trimmingPrefix(" ").description : "")
        }
        response.body = lines.joined(separator: "\n")
        return response
    }

    @Test func `No response crashes a client, breaks its rules, or grows its memory`() throws {
        var random = SeededGenerator(seed: 31)
        var run = try ClientRun(.watch, WHIPClientSettings(token: "secret"))
        var (sessions, restarts, layers, ends) = (0, 0, 0, 0)
        for (index, input) in MutatedInputs(of: Self.seeds, count: 100_000, using: SeededGenerator(seed: 9))
            .enumerated()
        {
            run.poll()
            if run.hasEnded {
                ends += 1
                run = try ClientRun(index % 2 == 0 ? .watch : .publish, WHIPClientSettings(token: "secret"))
                run.poll()
            }
            switch random.next() % 16 {
            case 0:
                run.client.restartICE(
                    ClientRun.description("newo", "candidate:3 1 udp 9 192.0.2.3 8 typ host"), at: run.now)
            case 1: run.client.select(index % 3 == 0 ? nil : "low", at: run.now)
            case 2: run.client.trickle([SDPFragment.Section(mid: "0", candidates: ["candidate:1"])], at: run.now)
            case 3: run.client.noteFailed("test", at: run.now)
            case 4: run.client.noteConnected(at: run.now)
            case 5 where index % 50 == 0: run.client.close(at: run.now)
            default: break
            }
            run.poll()
            if run.requests.isEmpty { run.pass(.seconds(1)) }
            #expect(run.requests.count <= 4, "input \(index)")
            for sent in run.requests { check(sent.request, index) }
            // A good response now and then leads deeper.
            let bytes = random.next() % 3 == 0 ? Self.seeds[Int(random.next() % 7)] : input
            if let request = run.requests.popLast() {
                run.client.insert(Self.response(bytes), to: request.id, at: run.now)
            }
            run.requests = []
            run.poll()
            for event in run.takeEvents() {
                switch event {
                case .answered: sessions += 1
                case .restarted: restarts += 1
                case .layerSelected: layers += 1
                case .failed(let error), .retrying(_, let error), .sessionLost(let error):
                    #expect("\(error)".utf8.count < 2000 && !"\(error)".contains("\n"), "input \(index)")
                default: break
                }
            }
        }
        // The inputs reach everything.
        #expect(
            sessions > 1000 && restarts > 100 && layers > 100 && ends > 1000,
            "\(sessions) \(restarts) \(layers) \(ends)")
    }

    private func check(_ request: WHIPRequest, _ index: Int) {
        let isVisible = request.target.utf8.allSatisfy { (0x21...0x7E).contains($0) }
        #expect(isVisible && request.target.hasPrefix("https://") && request.target.utf8.count < 9000, "input \(index)")
        for field in request.headers.fields {
            #expect(field.value.utf8.allSatisfy { (0x20...0x7E).contains($0) }, "input \(index): \(field)")
        }
    }
}
