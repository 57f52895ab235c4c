import RillCore
import RillPeer
import RillPeerSupport
import RillTestSupport
import Testing

/// What strangers may do to a port: make it compute a little, and nothing else.
///
/// Whoever measures memory has a process of its own: other tests would take some beside.
@Suite(.serialized) struct UnknownPeerTests {
    private let port = ICEPort(peerLimit: 100)
    private let peers: [(id: ICEPeerID, agent: ICEAgent)]

    init() throws {
        var generator = SeededGenerator(seed: 12)
        var peers: [(ICEPeerID, ICEAgent)] = []
        for _ in 0..<100 {
            let agent = ICEAgent(
                .controlled, credentials: ICECredentials(using: &generator),
                settings: ICESettings(seed: generator.next()))
            try agent.addLocalCandidate(AgentPair.address("192.0.2.1:5004"))
            peers.append((try port.add(agent), agent))
        }
        self.peers = peers
    }

    private static func address(_ number: Int) -> ICEPath {
        ICEPath(UDPAddress(.v4(0x0B00_0000 + UInt32(number)), port: UInt16(truncatingIfNeeded: number)))
    }

    private func expectNothingIsSent(at now: MediaTime = .zero) {
        var bytes: [UInt8] = []
        for _ in 0..<1000 {
            switch port.poll(at: now, into: &bytes) {
            case .transmit(on: let path): Issue.record("a datagram to \(path)")
            case .event(let peer, let event): Issue.record("\(event) of \(peer)")
            case .wait: return
            }
        }
        Issue.record("polling does not come to an end")
    }

    @Test func `100 000 fragments, and forged requests from 100 000 addresses, leave no memory`() async {
        await #expect(processExitsWith: .success) { try UnknownPeerTests().insertForgedRequests() }
    }

    private func insertForgedRequests() throws {
        var unknown = CheckWriter(to: peers[0].agent)
        unknown.key = STUNIntegrityKey(password: [1])
        var meter = GrowthMeter()
        var generator = SeededGenerator(seed: 13)
        for number in 0..<100_000 {
            if number % 20_000 == 0 { try meter.endRound() }
            unknown.username = ICECredentials(using: &generator).usernameFragment + ":peer"
            #expect(
                port.insert(unknown.request(UInt64(number)).span, on: Self.address(number), at: .zero)
                    == .dropped(.unknownUsername))
            let peer = peers[number % peers.count]
            unknown.username = peer.agent.credentials.usernameFragment + ":peer"
            #expect(
                port.insert(unknown.request(UInt64(number)).span, on: Self.address(number), at: .zero)
                    == .peer(peer.id, .dropped(.wrongIntegrity)))
        }
        expectNothingIsSent()
        // 50 bytes for each would be as much.
        let growth = try existing(meter.least)
        #expect(isSanitized || growth < 1_000_000, "\(growth) bytes")
        #expect(port.pathCount == 0 && peers.allSatisfy { $0.agent.statistics.isEmpty })
        #expect(port.statistics.unknownPeersDropped == 100_000 && port.statistics.messagesDropped == 100_000)
    }

    @Test func `A peer itself cannot fill the tables`() {
        let writers = peers.prefix(10).map { CheckWriter(to: $0.agent) }
        var bytes: [UInt8] = []
        for number in 0..<20_000 {
            _ = port.insert(
                writers[number % 10].request(UInt64(number)).span, on: Self.address(number),
                at: .zero + .milliseconds(number / 10))
            while case .transmit = port.poll(at: .zero + .milliseconds(number / 10), into: &bytes) {}
        }
        // Each has 16 pairs, and the addresses of at most twice the limit on pairs.
        #expect(port.pathCount <= 10 * 128)
        #expect(peers.allSatisfy { $0.agent.statistics.count <= 16 && $0.agent.remoteCandidates.count <= 16 })
    }

    @Test func `Peers that come, are never heard of again, or go, leave nothing behind`() async {
        await #expect(processExitsWith: .success) { try UnknownPeerTests.addAndLosePeers() }
    }

    private static func addAndLosePeers() throws {
        let small = ICEPort(peerLimit: 200)
        var generator = SeededGenerator(seed: 15)
        var bytes: [UInt8] = []
        var (now, failures, base) = (MediaTime.zero, 0, 0)
        var order: [ICEPeerID] = []
        let count = isLongRun ? 100_000 : 5000
        for number in 0..<count {
            if order.count == 200 { small.remove(order.removeFirst()) }
            let agent = ICEAgent(
                .controlled, credentials: ICECredentials(using: &generator),
                settings: ICESettings(seed: generator.next()))
            try agent.addLocalCandidate(AgentPair.address("192.0.2.1:5004"))
            order.append(try small.add(agent))
            // Each second one sends a single check.
            let writer = CheckWriter(to: agent)
            if number % 2 == 0 { _ = small.insert(writer.request(1).span, on: Self.address(number), at: now) }
            now += .milliseconds(500)
            poll: while true {
                switch small.poll(at: now, into: &bytes) {
                case .transmit: break
                case .event(_, .stateChanged(_, to: .failed)): failures += 1
                case .event: break
                case .wait: break poll
                }
            }
            if number == count / 2 { base = try residentByteCount() }
        }
        let growth = try residentByteCount() - base
        #expect(isSanitized || growth < 8_000_000, "\(growth) bytes")
        // After 100 s all that were heard have lost consent, and the others wait for their peer's description.
        #expect(failures > count / 2 - 200 && small.count == 200)
        for id in order { small.remove(id) }
        #expect(small.count == 0 && small.pathCount == 0)
        #expect(small.poll(at: now + .seconds(100), into: &bytes) == .wait(until: .distantFuture))
    }

    @Test func `No mutation of what a network brings is answered or passed on`() {
        var seeds = STUNMessageTests.seeds
        var forged = CheckWriter(to: peers[0].agent)
        forged.key = STUNIntegrityKey(password: [1])
        seeds += [forged.request(1), [0x80, 96] + [UInt8](repeating: 0, count: 40), [22, 254, 253, 0, 0]]
        let count = isLongRun ? 10_000_000 : 100_000
        for input in MutatedInputs(of: seeds, count: count, using: SeededGenerator(seed: 14)) {
            switch port.insert(input.span, on: Self.address(1), at: .zero) {
            case .dropped: break
            case .shared: Issue.record("nobody has validated the address")
            case .peer(_, let result):
                if case .dropped = result { break }
                // An indication has no authentication, and no effect.
                #expect(result == .keepalive)
            }
        }
        expectNothingIsSent()
        #expect(port.statistics.datagramsReceived == count && port.pathCount == 0)
    }
}
