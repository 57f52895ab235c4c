import RillCore
import RillLink
import RillPeer
import RillPeerSupport
import RillTestSupport
import Testing

/// What happens to a path that was found.
@Suite struct ConnectedTests {
    private func connected(
        _ notation: String = "delay=20ms", clients: [String] = ["10.0.0.2:4000"]
    ) throws -> AgentPair {
        let pair = try AgentPair(clients: clients, link: LinkSettings(notation: notation))
        pair.connect()
        #expect(pair.isCompleted)
        return pair
    }

    private func path(_ text: String, socket: Int = 0) -> ICEPath { ICEPath(socket: socket, AgentPair.address(text)) }

    @Test func `Consent is checked every 4 to 6 seconds, and measures the round trip`() throws {
        let pair = try connected()
        let start = pair.client.sendTimes.count
        pair.network.run(until: pair.network.now + .seconds(1000))
        let times = pair.client.sendTimes[start...]
        let intervals = zip(times.dropFirst(), times).map { ($0 - $1).seconds }
        #expect(intervals.allSatisfy { (4...6).contains($0) } && (180...220).contains(times.count))
        #expect((intervals.max() ?? 0) - (intervals.min() ?? 0) > 1.8)
        let pairs = pair.client.agent.statistics
        #expect(pairs.count == 1 && pairs[0].state == .succeeded && pairs[0].isNominated && pairs[0].isSelected)
        let counts = pairs[0].counts
        #expect(
            counts.consentRequestsSent == times.count && counts.requestsSent == 2 && counts.retransmissionsSent == 0)
        #expect(counts.responsesReceived == times.count + 2 && counts.currentRoundTripTime == .milliseconds(40))
        #expect(counts.totalRoundTripTime == .milliseconds(40) * counts.roundTripTimeMeasurements)
        let server = pair.server.agent.statistics[0].counts
        #expect(server.requestsReceived == times.count + 2 && server.responsesSent == times.count + 2)
    }

    @Test func `A change of the peer's port is followed within a consent interval`() throws {
        let pair = try connected()
        pair.network.run(until: pair.network.now + .seconds(20))
        let changed = pair.network.now
        pair.network.translations[pair.clientAddresses[0]] = AgentPair.address("198.51.100.7:61000")
        pair.network.run(until: changed + .seconds(20))
        let event = pair.server.events.last { if case .selectedPathChanged = $0.event { true } else { false } }
        let change = try existing(event)
        #expect(change.event == .selectedPathChanged(from: path("10.0.0.2:4000"), to: path("198.51.100.7:61000")))
        #expect((change.time - changed).seconds <= 6.1)
        #expect(pair.server.states == pair.client.states)
        #expect(pair.client.states == [.checking, .connected, .completed])
    }

    @Test(arguments: [8, 20])
    func `Who is away for a while comes back by itself`(seconds: Int) throws {
        for seed in 0..<10 {
            let pair = try connected()
            pair.network.run(until: pair.network.now + .seconds(20) + .milliseconds(550 * seed))
            let path = try existing(pair.server.agent.selectedPath)
            pair.network.isBlocked = { _, _ in true }
            pair.network.run(until: pair.network.now + .seconds(seconds))
            pair.network.isBlocked = { _, _ in false }
            let back = pair.network.now
            pair.network.run(until: back + .seconds(20))
            #expect(pair.isCompleted && pair.server.agent.selectedPath == path)
            for end in [pair.client, pair.server] {
                #expect(!end.events.contains { if case .consentLost = $0.event { true } else { false } })
                // After 8 s it depends on when the last check was.
                guard seconds > 13 else { continue }
                #expect(end.states.suffix(2) == [.disconnected, .completed])
                let last = try existing(end.events.last { if case .stateChanged = $0.event { true } else { false } })
                #expect((last.time - back).seconds <= 6.1)
            }
        }
    }

    @Test func `After 30 seconds of silence consent is lost, and only a restart helps`() throws {
        let pair = try connected()
        pair.network.run(until: pair.network.now + .seconds(20))
        let lastSent = pair.server.sendTimes.last
        pair.network.isBlocked = { _, _ in true }
        pair.network.run(until: pair.network.now + .seconds(60))
        for end in [pair.client, pair.server] {
            #expect(end.states.suffix(2) == [.disconnected, .failed])
            let lost = try existing(end.events.first { if case .consentLost = $0.event { true } else { false } })
            guard case .consentLost(on: _, after: let silence) = lost.event else {
                throw TestFailure("another case was expected")
            }
            #expect(silence == .seconds(30) && end.agent.selectedPath == nil)
        }
        let silentSince = try existing(lastSent)
        let failed = try existing(pair.server.time(of: .failed))
        // Its answer took 40 ms. What the other side asked since does not count.
        #expect((failed - silentSince).seconds == 30.04)

        pair.network.isBlocked = { _, _ in false }
        pair.network.run(until: pair.network.now + .seconds(20))
        #expect(pair.server.agent.state == .failed)
        try restart(pair)
        pair.connect()
        #expect(pair.isCompleted)
    }

    private func restart(_ pair: AgentPair) throws {
        var generator = SeededGenerator(seed: 99)
        pair.client.agent.restart(with: ICECredentials(using: &generator))
        pair.server.agent.restart(with: ICECredentials(using: &generator))
        try pair.introduce(pair.server, to: pair.client)
        try pair.introduce(pair.client, to: pair.server)
    }

    @Test func `A restart keeps the path until a new one is nominated`() throws {
        let pair = try connected()
        let former = try existing(pair.client.agent.selectedPath)
        try restart(pair)
        #expect(pair.client.agent.selectedPath == former && pair.client.agent.state == .connected)
        pair.network.translations[pair.clientAddresses[0]] = AgentPair.address("198.51.100.7:61000")
        pair.connect()
        #expect(pair.isCompleted && pair.server.agent.selectedPath == path("198.51.100.7:61000"))
        #expect(!pair.server.states.contains(.failed) && !pair.server.states.contains(.disconnected))
    }

    @Test func `A restart that the other side does not know of yet costs no consent`() throws {
        let pair = try connected()
        var generator = SeededGenerator(seed: 99)
        pair.server.agent.restart(with: ICECredentials(using: &generator))
        pair.network.run(until: pair.network.now + .seconds(120))
        #expect(pair.server.agent.state == .connected && pair.client.agent.state == .completed)
        #expect(pair.server.agent.selectedPath == path("10.0.0.2:4000"))
    }

    @Test func `If the path is lost, another one that works is nominated`() throws {
        let pair = try connected(clients: ["10.0.0.2:4000", "10.1.0.2:4000"])
        #expect(pair.client.agent.selectedPath == path("192.0.2.1:5004", socket: 0))
        let lost = pair.clientAddresses[0]
        pair.network.isBlocked = { source, destination in source == lost || destination == lost }
        pair.network.run(until: pair.network.now + .seconds(20))
        #expect(pair.client.agent.selectedPath == path("192.0.2.1:5004", socket: 1))
        #expect(pair.server.agent.selectedPath == path("10.1.0.2:4000"))
        #expect(pair.isCompleted && pair.client.states.contains(.disconnected))
    }

    @Test func `Data passes once an address has authenticated itself, and is counted`() throws {
        let pair = try AgentPair(link: LinkSettings(notation: "delay=10ms"))
        let rtp: [UInt8] = [0x80, 96, 0, 1]
        let agent = pair.server.agent
        #expect(agent.insert(rtp.span, on: path("10.0.0.2:4000"), at: .zero) == .dropped(.unvalidatedAddress))
        pair.connect()
        let now = pair.network.now
        #expect(agent.insert(rtp.span, on: path("10.0.0.2:4000"), at: now) == .data)
        #expect(agent.insert(rtp.span, on: path("10.0.0.2:4001"), at: now) == .dropped(.unvalidatedAddress))
        agent.noteSent(byteCount: 1200, on: path("10.0.0.2:4000"), at: now)
        let counts = agent.statistics[0].counts
        #expect(counts.packetsReceived == 1 && counts.bytesReceived == 4 && counts.lastPacketReceivedTime == now)
        #expect(counts.packetsSent == 1 && counts.bytesSent == 1200 && counts.lastPacketSentTime == now)
    }

    @Test func `A day with loss and jitter keeps its path and its memory`() throws {
        let pair = try connected("loss=5%,delay=30ms,jitter=10ms")
        pair.network.run(until: pair.network.now + .seconds(isLongRun ? 86_400 : 7200))
        #expect(pair.isCompleted && pair.client.agent.statistics.count == 1 && pair.server.agent.statistics.count == 1)
        #expect(pair.client.agent.remoteCandidates.count == 1)
    }
}
