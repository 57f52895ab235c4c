import RillCore
import RillLink
import RillPeer
import RillPeerSupport
import RillTestSupport
import Testing

/// How two agents find a path.
@Suite struct ConnectingTests {
    private func link(_ notation: String) throws -> LinkSettings { try LinkSettings(notation: notation) }

    @Test func `Two agents find a path in one round trip, and complete it in another`() throws {
        let pair = try AgentPair(link: link("delay=10ms"))
        pair.connect()
        #expect(pair.client.agent.selectedPath == ICEPath(socket: 0, pair.serverAddresses[0]))
        #expect(pair.server.agent.selectedPath == ICEPath(socket: 0, pair.clientAddresses[0]))
        #expect(pair.client.states == [.checking, .connected, .completed])
        for end in [pair.client, pair.server] { #expect(end.time(of: .connected) == .zero + .milliseconds(20)) }
        // The nomination does not wait for its turn.
        #expect(pair.client.time(of: .completed) == .zero + .milliseconds(40))
        #expect(pair.server.time(of: .completed) == .zero + .milliseconds(30))
    }

    @Test func `A client that the server does not know of is checked as soon as its check is there`() throws {
        let pair = try AgentPair(link: link("delay=10ms"), isTrickled: true)
        for candidate in pair.server.agent.localCandidates {
            pair.client.agent.addRemoteCandidate(candidate, at: .zero)
        }
        pair.connect()
        #expect(pair.client.time(of: .connected) == .zero + .milliseconds(20))
        #expect(pair.server.time(of: .connected) == .zero + .milliseconds(30))
        #expect(pair.server.time(of: .completed) == .zero + .milliseconds(30))
    }

    @Test(arguments: [ICERole.controlling, .controlled])
    func `Towards a lite server an agent is controlling, whatever it was, and completes in two round trips`(
        role: ICERole
    ) throws {
        let server = AgentPair.address("192.0.2.1:5004")
        let (client, lite, network) = try towardsLite(role, at: [server])
        network.run(until: .zero + .seconds(10))
        #expect(client.agent.role == .controlling && client.agent.selectedPath == ICEPath(server))
        #expect(client.time(of: .connected) == .zero + .milliseconds(20))
        #expect(client.time(of: .completed) == .zero + .milliseconds(40))
        #expect(lite.nominated == ICEPath(AgentPair.address("10.0.0.2:4000")))
        // Consent is checked there too.
        network.run(until: .zero + .seconds(100))
        #expect(client.agent.state == .completed && (18...28).contains(lite.requestCount), "\(lite.requestCount)")
    }

    /// An agent, and a lite server that has only the last of its addresses.
    private func towardsLite(
        _ role: ICERole, at addresses: [UDPAddress]
    ) throws -> (AgentEnd, LiteEnd, VirtualNetwork) {
        var generator = SeededGenerator(seed: 3)
        let (own, last) = (AgentPair.address("10.0.0.2:4000"), try existing(addresses.last))
        let lite = LiteEnd(ICECredentials(using: &generator))
        let agent = ICEAgent(role, credentials: ICECredentials(using: &generator), settings: ICESettings(seed: 2))
        try agent.addLocalCandidate(own)
        let network = VirtualNetwork(try link("delay=10ms"))
        let client = AgentEnd(agent)
        network.add(client, at: [own])
        network.add(lite, at: [last])
        try agent.setRemote(lite.credentials, isLite: true, at: .zero)
        for (index, address) in addresses.enumerated() {
            agent.addRemoteCandidate(ICECandidate(.host, address, foundation: "\(index)"), at: .zero)
        }
        return (client, lite, network)
    }

    @Test func `With 10 % loss and 100 ms of delay, 50 of 50 connect`() throws {
        var connected: [Double] = []
        var completed: [Double] = []
        for seed in 1...UInt64(isLongRun ? 1000 : 50) {
            let pair = try AgentPair(link: link("loss=10%,delay=100ms"), seed: seed)
            pair.connect(within: .seconds(60))
            connected.append(try existing(pair.client.time(of: .connected)).seconds)
            completed.append(try existing(pair.client.time(of: .completed)).seconds)
        }
        (connected, completed) = (connected.sorted(), completed.sorted())
        let middle = connected.count / 2
        note(
            "connected after \(connected[middle]) s (median), \(connected.last ?? 0) s (longest); "
                + "completed after \(completed[middle]) s, \(completed.last ?? 0) s")
        #expect(connected[middle] <= 0.3 && completed[middle] <= 0.5)
        // Five lost in a row, each with 19 %, take longer.
        #expect(completed.count { $0 > 10 } <= completed.count / 200)
    }

    @Test func `Two full agents agree on the pair of the highest priority, of several addresses and both IP versions`()
        throws
    {
        let pair = try AgentPair(
            clients: ["[2001:db8::2]:4000", "10.0.0.2:4000", "10.1.0.2:4000"],
            servers: ["[2001:db8::9]:5004", "192.0.2.1:5004"], link: link("delay=15ms"))
        pair.connect()
        #expect(pair.isCompleted)
        #expect(pair.client.agent.selectedPath == ICEPath(socket: 0, AgentPair.address("[2001:db8::9]:5004")))
        #expect(pair.server.agent.selectedPath == ICEPath(socket: 0, AgentPair.address("[2001:db8::2]:4000")))
        // Three of the four IPv4 pairs and the IPv6 pair; never across versions.
        #expect(pair.client.agent.statistics.allSatisfy { isV6($0.local.address) == isV6($0.remote.address) })
        #expect(pair.client.agent.statistics.count == 3)
    }

    @Test func `A better pair that does not work delays the nomination by 100 ms only`() throws {
        let pair = try AgentPair(
            clients: ["[2001:db8::2]:4000", "10.0.0.2:4000"], servers: ["[2001:db8::9]:5004", "192.0.2.1:5004"],
            link: link("delay=10ms"))
        pair.network.isBlocked = { source, _ in isV6(source) }
        pair.connect()
        // The second check begins after 50 ms; its answer is there at 70, and is nominated at 170.
        #expect(pair.client.time(of: .connected) == .zero + .milliseconds(70))
        #expect(pair.client.time(of: .completed) == .zero + .milliseconds(190))
    }

    @Test func `A server behind an unknown address is found by its checks, and a client behind a NAT by its own`()
        throws
    {
        let pair = try AgentPair(link: link("delay=10ms"))
        pair.network.translations[pair.clientAddresses[0]] = AgentPair.address("198.51.100.7:61000")
        pair.connect()
        #expect(pair.isCompleted)
        #expect(pair.server.agent.selectedPath == ICEPath(AgentPair.address("198.51.100.7:61000")))
        let reflexive = pair.server.agent.remoteCandidates.filter { $0.kind == .peerReflexive }
        #expect(reflexive.map(\.address) == [AgentPair.address("198.51.100.7:61000")])
        // 110 is the preference of peer-reflexive candidates.
        #expect(reflexive.first?.priority == ICECandidate.priority(.peerReflexive, localPreference: 65535))
        let local = try existing(pair.client.agent.statistics.first { $0.isSelected }).local
        #expect(local.kind == .peerReflexive && local.address == AgentPair.address("198.51.100.7:61000"))
        #expect(local.related == pair.clientAddresses[0])
    }

    // MARK: Roles

    @Test(arguments: [ICERole.controlling, .controlled])
    func `Of two agents with the same role, one gives way`(role: ICERole) throws {
        for seed in 1...UInt64(40) {
            let pair = try AgentPair(role, role, link: link("loss=5%,delay=20ms"), seed: seed)
            pair.connect()
            #expect(pair.isCompleted, "seed \(seed)")
            #expect(pair.client.agent.role == pair.server.agent.role.opposite, "seed \(seed)")
            let changes = (pair.client.events + pair.server.events).count {
                if case .roleChanged = $0.event { true } else { false }
            }
            #expect(changes == 1, "seed \(seed)")
        }
    }

    // MARK: Pace

    @Test func `Checks begin 50 ms apart, and are retransmitted as the RFC says`() throws {
        let pair = try AgentPair(clients: ["10.0.0.2:4000"])
        pair.network.isBlocked = { _, _ in true }
        pair.network.run(until: MediaTime(nanoseconds: 39_000_000_000))
        let times = pair.client.sendTimes.map(\.seconds)
        #expect(times == [0, 0.5, 1.5, 3.5, 7.5, 15.5, 31.5])

        let many = try AgentPair(
            clients: ["10.0.0.2:1", "10.0.0.3:2", "10.0.0.4:3"], servers: (1...5).map { "192.0.2.\($0):5004" })
        many.network.isBlocked = { _, _ in true }
        many.network.run(until: MediaTime(nanoseconds: 700_000_000))
        // RTO = max(500 ms, 15 pairs * 50 ms): no retransmission before 750 ms.
        #expect(many.client.sendTimes == (0..<15).map { .zero + .milliseconds(50 * $0) })
        #expect(many.client.agent.statistics.allSatisfy { $0.state == .inProgress && $0.counts.requestsSent == 1 })
    }

    @Test func `Pairs are limited, and better ones replace those not checked yet`() throws {
        let pair = try AgentPair(clients: ["10.0.0.2:4000"], servers: ["192.0.2.200:5004"]) { $0.maximumPairCount = 8 }
        for number in 1...50 {
            var candidate = ICECandidate(
                .host, AgentPair.address("192.0.2.\(number):5004"), foundation: "\(number)")
            candidate.priority += UInt32(number)
            pair.client.agent.addRemoteCandidate(candidate, at: .zero)
        }
        #expect(pair.client.agent.statistics.count == 8 && pair.client.agent.remoteCandidates.count == 8)
    }

    // MARK: Failure

    @Test func `If nothing answers, it fails by name after 39.5 s, and not before`() throws {
        let pair = try AgentPair(clients: ["10.0.0.2:4000", "10.0.0.3:4000"])
        pair.network.isBlocked = { _, _ in true }
        pair.network.run(until: MediaTime(nanoseconds: 60_000_000_000))
        #expect(pair.client.states == [.checking, .failed] && pair.server.states == [.checking, .failed])
        #expect(pair.server.time(of: .failed)?.seconds == 39.55)
        let failure = try existing(
            pair.client.events.first { if case .checksFailed = $0.event { true } else { false } })
        // The second check began 50 ms after the first.
        #expect(failure.event == .checksFailed(pairCount: 2, after: .milliseconds(39_550)))
        #expect(pair.client.agent.wakeTime == .distantFuture && pair.client.agent.selectedPath == nil)
    }

    @Test func `Candidates may trickle in, and the checks last as long`() throws {
        let pair = try AgentPair(link: link("delay=10ms"), isTrickled: true)
        pair.network.run(until: MediaTime(nanoseconds: 30_000_000_000))
        #expect(pair.client.states == [.checking])
        // Nobody is there.
        let nobody = ICECandidate(.host, AgentPair.address("192.0.2.99:1"), foundation: "9")
        #expect(pair.client.agent.addRemoteCandidate(nobody, at: pair.network.now))
        #expect(!pair.client.agent.addRemoteCandidate(nobody, at: pair.network.now))
        var stale = ICECandidate(.host, AgentPair.address("192.0.2.98:1"), foundation: "8")
        stale.usernameFragment = "of the former generation"
        #expect(!pair.client.agent.addRemoteCandidate(stale, at: pair.network.now))
        pair.network.run(until: MediaTime(nanoseconds: 35_000_000_000))
        try pair.introduce(pair.server, to: pair.client)
        pair.network.run(until: MediaTime(nanoseconds: 36_000_000_000))
        #expect(pair.client.states == [.checking, .connected, .completed])
    }

    @Test func `Without candidates, it fails in the end`() throws {
        let pair = try AgentPair(isTrickled: true)
        pair.client.agent.endRemoteCandidates()
        pair.network.run(until: MediaTime(nanoseconds: 60_000_000_000))
        #expect(pair.client.states == [.checking, .failed] && pair.client.time(of: .failed)?.seconds == 39.5)
    }
}

func isV6(_ address: UDPAddress) -> Bool { if case .v6 = address.ip { true } else { false } }
