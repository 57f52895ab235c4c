import RillCore
import RillLink
import RillPeer
import RillPeerSupport
import RillTestSupport
import Testing

/// What others can do to an agent's path with copies of the peer's datagrams, forged addresses and candidates: nothing.
@Suite struct AgentPathTests {
    private static let attacker = AgentPair.address("203.0.113.9:9")

    private func connected() throws -> AgentPair {
        let pair = try AgentPair(link: LinkSettings(notation: "delay=10ms"))
        pair.connect()
        #expect(pair.isCompleted)
        return pair
    }

    /// The bytes that the server sent to an address.
    private func sent(_ pair: AgentPair, to address: UDPAddress) -> Int {
        pair.server.sent.filter { $0.path.remote == address }.map(\.bytes.count).reduce(0, +)
    }

    private func nomination(_ pair: AgentPair) throws -> [UInt8] {
        try existing(pair.client.sent.last { CheckWriter.transaction(of: $0.bytes, nominates: true) != nil }).bytes
    }

    private func insert(_ bytes: [UInt8], from address: UDPAddress, into end: AgentEnd, _ pair: AgentPair) {
        end.take(bytes.span, on: ICEPath(address), at: pair.network.now)
    }

    /// At once, every 3 s, and ten times a second.
    @Test(arguments: [(1, 0), (20, 3000), (300, 100)])
    func `A captured nomination that others repeat moves nothing, and is not answered`(
        count: Int, interval: Int
    ) throws {
        for isManyAddresses in [false, true] {
            let pair = try connected()
            pair.network.run(until: pair.network.now + .seconds(60))
            let (copy, path) = (try nomination(pair), try existing(pair.server.agent.selectedPath))
            for number in 0..<count {
                let host = UInt32(isManyAddresses ? number : 0)
                let address = UDPAddress(.v4(0xCB00_7100 + host), port: 9)
                insert(copy, from: address, into: pair.server, pair)
                pair.network.run(until: pair.network.now + .milliseconds(interval))
                #expect(pair.server.agent.selectedPath == path && sent(pair, to: address) == 0)
            }
            #expect(pair.server.agent.statistics.count == 1 && pair.server.agent.counts.requestsReplayed == count)
            #expect(pair.isCompleted && pair.server.states == [.checking, .connected, .completed])
        }
    }

    @Test func `A nomination so old that it is forgotten is checked, and moves nothing either`() throws {
        let pair = try connected()
        let copy = try nomination(pair)
        pair.network.run(until: pair.network.now + .seconds(1000))
        let path = try existing(pair.server.agent.selectedPath)
        for number in 0..<100 {
            insert(copy, from: UDPAddress(.v4(0xCB00_7100 + UInt32(number)), port: 9), into: pair.server, pair)
            pair.network.run(until: pair.network.now + .milliseconds(30))
        }
        pair.network.run(until: pair.network.now + .seconds(60))
        #expect(pair.server.agent.selectedPath == path && pair.isCompleted)
        #expect(pair.server.agent.statistics.count == 3 && pair.server.agent.counts.requestsReplayed == 98)
        // The first two are checked once, and the others get nothing.
        let bytes = (0..<100).map { sent(pair, to: UDPAddress(.v4(0xCB00_7100 + UInt32($0)), port: 9)) }
        #expect(bytes[..<2].allSatisfy { (1...3 * copy.count).contains($0) } && bytes[2...].allSatisfy { $0 == 0 })
        #expect(pair.server.agent.counts.datagramsWithheld > 0)
    }

    @Test func `Authentic nominations from an address that never answers get at most three times their bytes`() throws {
        let pair = try connected()
        let path = try existing(pair.server.agent.selectedPath)
        var writer = CheckWriter(to: pair.server.agent, from: pair.client.agent.credentials.usernameFragment)
        writer.nominates = true
        var received = 0
        for number in 0..<1000 {
            let request = writer.request(UInt64(number))
            received += request.count
            insert(request, from: Self.attacker, into: pair.server, pair)
            pair.network.run(until: pair.network.now + .milliseconds(20))
            #expect(sent(pair, to: Self.attacker) <= 3 * received)
        }
        #expect(pair.server.agent.selectedPath == path && pair.isCompleted)
        #expect(pair.server.agent.statistics.contains { $0.remote.address == Self.attacker && !$0.isNominated })
    }

    @Test func `A copy that overtakes the check does not keep the peer out`() throws {
        let pair = try AgentPair(link: LinkSettings(notation: "delay=10ms"), isTrickled: true)
        for candidate in pair.server.agent.localCandidates {
            pair.client.agent.addRemoteCandidate(candidate, at: .zero)
        }
        pair.network.run(until: .zero + .milliseconds(9))
        insert(try existing(pair.client.sent.first).bytes, from: Self.attacker, into: pair.server, pair)
        pair.connect(within: .seconds(1))
        #expect(pair.isCompleted && pair.server.agent.selectedPath == ICEPath(pair.clientAddresses[0]))
    }

    @Test func `A path is in use only as long as checks of ours are answered there`() throws {
        let pair = try connected()
        let start = pair.network.now
        // Nothing of ours arrives any more; copies, or checks of the peer's, do.
        let server = pair.serverAddresses[0]
        pair.network.isBlocked = { source, _ in source == server }
        let writer = CheckWriter(to: pair.server.agent, from: pair.client.agent.credentials.usernameFragment)
        for number in 0..<40 {
            insert(writer.request(UInt64(number)), from: pair.clientAddresses[0], into: pair.server, pair)
            pair.network.run(until: pair.network.now + .seconds(1))
        }
        let failed = try existing(pair.server.time(of: .failed))
        #expect(failed - start < .seconds(37) && pair.server.agent.selectedPath == nil)
    }

    @Test func `64 candidates of nobody do not keep the peer out, announced or not, or make it wait`() throws {
        for isAnnounced in [false, true] {
            let pair = try AgentPair(link: LinkSettings(notation: "delay=10ms"), isTrickled: true)
            for number in 1...64 {
                let nobody = UDPAddress(.v4(0xC633_6400 + UInt32(number)), port: 9)
                pair.server.agent.addRemoteCandidate(ICECandidate(.host, nobody, foundation: "\(number)"), at: .zero)
            }
            for candidate in pair.server.agent.localCandidates {
                pair.client.agent.addRemoteCandidate(candidate, at: .zero)
            }
            if isAnnounced {
                let theirs = ICECandidate(.serverReflexive, pair.clientAddresses[0], foundation: "last")
                #expect(!pair.server.agent.addRemoteCandidate(theirs, at: .zero))
                #expect(pair.server.agent.counts.candidatesIgnored == 1)
            }
            pair.connect(within: .seconds(1))
            #expect(pair.server.time(of: .connected) == .zero + .milliseconds(30))
            #expect(pair.isCompleted && pair.server.agent.counts.pairsEvicted == 1)
            #expect(pair.server.agent.statistics.count == 64)
        }
    }

    @Test func `Candidates of nobody get at most three times what announced them`() throws {
        let pair = try AgentPair(link: LinkSettings(notation: "delay=10ms"), isTrickled: true)
        var received = 500
        for number in 1...64 {
            let nobody = UDPAddress(.v4(0xC633_6400 + UInt32(number)), port: 9)
            let candidate = ICECandidate(.host, nobody, foundation: "\(number)")
            received += candidate.text.utf8.count
            pair.server.agent.addRemoteCandidate(candidate, at: .zero)
        }
        pair.network.run(until: .zero + .seconds(400))
        let sent = pair.server.sent.map(\.bytes.count).reduce(0, +)
        #expect(sent <= 3 * received && sent > received, "\(sent) bytes for \(received)")
        #expect(pair.server.agent.counts.datagramsWithheld > 0 && pair.server.agent.state == .failed)
        // Each got a check, at its turn.
        #expect(Set(pair.server.sent.map(\.path)).count == 64)
    }

    @Test func `An answer that comes back from elsewhere does not end the check`() throws {
        let pair = try AgentPair(link: LinkSettings(notation: "delay=10ms"))
        pair.network.run(until: .zero + .milliseconds(5))
        let check = try existing(pair.server.sent.first { CheckWriter.transaction(of: $0.bytes) != nil }).bytes
        let id = try existing(CheckWriter.transaction(of: check))
        let key = STUNIntegrityKey(password: Array(pair.client.agent.credentials.password.utf8))
        let copy = CheckWriter.answer(to: id, from: pair.serverAddresses[0], key)
        insert(copy, from: Self.attacker, into: pair.server, pair)
        #expect(pair.server.results.last == .dropped(.asymmetric) && pair.server.agent.selectedPath == nil)
        pair.connect(within: .seconds(1))
        #expect(pair.server.time(of: .connected) == .zero + .milliseconds(20))
    }

    @Test func `Checks of the peer's that come faster than answers do not outrun them`() throws {
        let pair = try AgentPair(link: LinkSettings(notation: "delay=150ms"), isTrickled: true)
        let writer = CheckWriter(to: pair.server.agent, from: pair.client.agent.credentials.usernameFragment)
        // As Chromium sends them until one is answered.
        for number in 0..<10 {
            insert(writer.request(UInt64(number)), from: pair.clientAddresses[0], into: pair.server, pair)
            pair.network.run(until: pair.network.now + .milliseconds(48))
        }
        #expect(pair.server.time(of: .connected) == .zero + .milliseconds(300))
    }

    @Test func `A path that has fallen silent gives way to another that answers, on either side`() throws {
        for role in [ICERole.controlling, .controlled] {
            let pair = try AgentPair(
                role, role.opposite, clients: ["10.0.0.2:4000", "10.1.0.2:4000"],
                link: LinkSettings(notation: "delay=10ms"))
            pair.connect()
            pair.network.run(until: pair.network.now + .seconds(30))
            let lost = try existing(pair.server.agent.selectedPath).remote
            pair.network.isBlocked = { source, destination in source == lost || destination == lost }
            pair.network.run(until: pair.network.now + .seconds(20))
            #expect(pair.server.agent.selectedPath?.remote == pair.clientAddresses.first { $0 != lost })
            #expect(!pair.server.states.contains(.failed) && pair.isCompleted)
        }
    }

    @Test func `A peer that does not nominate again gets data on the path that still answers`() throws {
        let pair = try AgentPair(
            clients: ["10.0.0.2:4000", "10.1.0.2:4000"], link: LinkSettings(notation: "delay=10ms"))
        pair.connect()
        pair.network.run(until: pair.network.now + .seconds(5))
        let lost = try existing(pair.server.agent.selectedPath).remote
        pair.network.isBlocked = { source, destination in source == lost || destination == lost }
        let useCandidate: [UInt8] = [0x00, 0x25, 0x00, 0x00]
        pair.network.isLost = { source, _, datagram in
            source.port == lost.port
                && datagram.indices.dropLast(3).contains { Array(datagram[$0..<$0 + 4]) == useCandidate }
        }
        pair.network.run(until: pair.network.now + .seconds(16))
        #expect(pair.server.agent.selectedPath?.remote == pair.clientAddresses.first { $0 != lost })
    }
}
