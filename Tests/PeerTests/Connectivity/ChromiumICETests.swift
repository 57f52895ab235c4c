import RillCore
import RillPeer
import RillTestSupport
import Testing

/// Chromium checks, nominates and keeps up consent towards an agent.
@Suite(.serialized, .enabled(if: Peer.chromium.isInstalled, "chromium is not installed"))
struct ChromiumICETests {
    /// Waits for the page's credentials, after each negotiation, and gives them to the agent.
    private func introduce(
        _ page: ChromiumPage, to end: ICEEnd, times count: Int = 1, with other: () throws -> Void = {}
    ) throws {
        try end.run(atMost: .seconds(60), with: other) {
            page.words(after: "credentials", times: count) != nil || page.hasEnded
        }
        let theirs = try existing(page.words(after: "credentials", times: count))
        guard theirs.count == 2 else { throw TestFailure("chromium says \(theirs)") }
        try end.agent.setRemote(
            ICECredentials(usernameFragment: theirs[0], password: theirs[1]), isLite: false, at: end.now)
    }

    @Test func `Chromium connects, stays for ten seconds, and restarts`() async throws {
        let end = try ICEEnd(.controlled)
        var generator = SystemRandomNumberGenerator()
        let second = ICECredentials(using: &generator)
        let page = try ChromiumPage(
            [end.agent.credentials, second], end.agent.localCandidates,
            steps: """
                await negotiate(0);
                tell();
                await connected();
                say("connected");
                await sleep(10000);
                say("restart");
                const former = (await selected())?.id;
                connection.restartIce();
                await negotiate(1);
                tell();
                for (let n = 0; n < 200; n++) {
                  const pair = await selected();
                  if (pair && pair.id !== former) break;
                  await sleep(50);
                }
                await connected();
                say("restarted");
                """)
        try introduce(page, to: end)
        try end.run(atMost: .seconds(60)) { page.hasSaid("connected") }
        let first = try existing(end.agent.selectedPath)
        // Chromium counts itself as connected before it nominates.
        try end.run(atMost: .seconds(20)) { end.agent.state == .completed || page.hasEnded }
        try end.run(atMost: .seconds(20)) { page.hasSaid("restart") }
        let before = try existing(end.agent.statistics.first { $0.isSelected })
        // Chromium checks a connected pair at least every 2.5 s.
        #expect(before.path == first && before.counts.requestsReceived >= 4)
        #expect(before.counts.requestsReceived == before.counts.responsesSent)

        end.agent.restart(with: second)
        try introduce(page, to: end, times: 2)
        try end.run(atMost: .seconds(30)) { page.hasEnded }
        let words = try await page.finished()
        #expect(words.last == "restarted", "\(words)")
        #expect(end.agent.state == .completed && end.agent.statistics.contains { $0.isNominated })
        #expect(!end.hasLostConsent)
    }

    @Test func `Chromium connects to a full agent, which checks it too`() async throws {
        let end = try ICEEnd(.controlled)
        let page = try ChromiumPage(
            [end.agent.credentials], end.agent.localCandidates,
            steps: """
                await negotiate(0);
                await sleep(200);
                tell();
                await connected();
                await sleep(15000);
                await connected();
                say("done");
                """)
        // Its checks come before its credentials, and are answered.
        try introduce(page, to: end)
        try end.run(atMost: .seconds(20)) { end.agent.state == .completed || page.hasEnded }
        try end.run(atMost: .seconds(40)) { page.hasEnded }
        let all = try await page.finished()
        #expect(all.last == "done", "\(all)")
        let pair = try existing(end.agent.statistics.first { $0.isSelected })
        #expect(pair.isNominated && pair.state == .succeeded && pair.remote.kind == .peerReflexive)
        // A check, and a consent check every 4 to 6 s, each answered, unless the browser was just closing.
        #expect(pair.counts.consentRequestsSent >= 2 && pair.counts.currentRoundTripTime != nil)
        let sent = pair.counts.requestsSent + pair.counts.consentRequestsSent
        #expect((sent - 1...sent).contains(pair.counts.responsesReceived))
        #expect(end.agent.state == .completed && !end.hasLostConsent, "\(end.events)")
    }

    @Test func `Chromium comes back by itself from another port, and after eight seconds away`() async throws {
        let end = try ICEEnd(.controlled)
        let relay = try RebindingRelay(to: end.port)
        let candidates = end.agent.localCandidates.map { candidate in
            var candidate = candidate
            candidate.address.port = relay.port
            return candidate
        }
        let page = try ChromiumPage(
            [end.agent.credentials], candidates,
            steps: """
                await negotiate(0);
                tell();
                await connected();
                say("connected");
                await sleep(22000);
                await connected();
                say("done");
                """)
        func run(_ duration: MediaDuration, isDone: () -> Bool) throws {
            try end.run(atMost: duration, with: relay.forward, isDone: isDone)
        }
        try introduce(page, to: end, with: relay.forward)
        try run(.seconds(60)) { page.hasSaid("connected") }
        try run(.seconds(20)) { end.agent.state == .completed || page.hasEnded }
        #expect(end.agent.selectedPath?.remote.port == relay.outerPort)

        try relay.rebind()
        let change = end.now
        try run(.seconds(10)) { end.agent.selectedPath?.remote.port == relay.outerPort || page.hasEnded }
        #expect((end.now - change).seconds < 5)

        relay.isBlocked = true
        let absence = end.now
        try run(.seconds(10)) { end.now - absence >= .seconds(8) || page.hasEnded }
        relay.isBlocked = false
        let heard = end.agent.statistics.map(\.counts.requestsReceived).reduce(0, +)
        try run(.seconds(10)) {
            end.agent.statistics.map(\.counts.requestsReceived).reduce(0, +) > heard || page.hasEnded
        }
        try run(.seconds(40)) { page.hasEnded }
        let words = try await page.finished()
        #expect(words.last == "done" && !words.contains("state failed"), "\(words)")
        #expect(end.agent.state == .completed && !end.hasLostConsent, "\(end.events)")
    }
}
