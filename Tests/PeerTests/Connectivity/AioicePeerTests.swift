import RillCore
import RillPeer
import RillTestSupport
import Testing

/// aioice, another implementation of ICE, as the other side.
@Suite(.serialized, .enabled(if: isAioiceInstalled, "python3-aioice is not installed"))
struct AioicePeerTests {
    @Test func `aioice checks and nominates, and data passes both ways`() async throws {
        try await connect(ICEEnd(.controlled), theirRole: "controlling")
    }

    @Test func `Rill checks and nominates, and data passes both ways`() async throws {
        try await connect(ICEEnd(.controlling), theirRole: "controlled")
    }

    @Test func `Both begin as controlling, and agree`() async throws {
        let end = try ICEEnd(.controlling)
        try await connect(end, theirRole: "controlling")
        let gaveWay = end.events.contains(.roleChanged(to: .controlled))
        #expect(gaveWay == (end.agent.role == .controlled))
    }

    private func connect(_ end: ICEEnd, theirRole: String) async throws {
        let python = try existing(Program(path: "/usr/bin/python3"))
        let ours = end.agent.credentials
        // Without the word before the colon, as aioice takes them.
        let candidates = end.agent.localCandidates.map { String($0.text.dropFirst("candidate:".count)) }
        let program = try python.start(
            [
                "-c", AioiceScript.text, theirRole, ours.usernameFragment, ours.password,
            ] + candidates, limit: 60)
        // Their description is complete once its last line is there.
        try end.run(atMost: .seconds(20)) { program.errorsSoFar.contains("end\n") || program.hasEnded }
        try introduce(program.errorsSoFar, to: end)
        try end.run(atMost: .seconds(20)) { !end.received.isEmpty || program.hasEnded }
        #expect(end.received.first == Array("ping".utf8))
        // aioice sends as soon as its own check succeeded; after a role conflict, ours is then still on its way.
        try end.run(atMost: .seconds(20)) { end.agent.selectedPath != nil || program.hasEnded }
        // aioice sends on the pair that it nominated; we must have selected it too.
        if end.agent.selectedPath != nil { try end.send("pong") }
        try end.run(atMost: .seconds(20)) { program.hasEnded }
        let outcome = try await program.finished()
        #expect(outcome.status == 0, "\(outcome.errors)")
        #expect(outcome.text.hasSuffix(" pong\n"))
        #expect(end.agent.state == .completed, "\(end.events)")
    }

    private func introduce(_ description: String, to end: ICEEnd) throws {
        let lines = description.split(separator: "\n")
        let words = try existing(lines.first).split(separator: " ").map(String.init)
        guard words.count == 2 else { throw TestFailure("aioice: \(description)") }
        let theirs = try ICECredentials(usernameFragment: words[0], password: words[1])
        try end.agent.setRemote(theirs, isLite: false, at: end.now)
        for line in lines.dropFirst() where line.hasPrefix("candidate:") {
            guard case .candidate(let candidate) = try ICECandidateText(parsing: String(line)) else { continue }
            end.agent.addRemoteCandidate(candidate, at: end.now)
        }
        end.agent.endRemoteCandidates()
    }
}

private let isAioiceInstalled: Bool = {
    // What does not run is not there.
    (try? Program(path: "/usr/bin/python3")?.run(["-c", "import aioice"]))?.status == 0
}()
