import RillCore
import RillLink
import RillPeer
import RillPeerSupport
import RillTestSupport
import Testing

/// A port whose events and data are kept.
final class PortEnd: NetworkEnd {
    let port: ICEPort
    private(set) var events: [(peer: ICEPeerID, event: ICEEvent)] = []
    private var bytes: [UInt8] = []

    init(_ port: ICEPort) { self.port = port }

    func take(_ datagram: Span<UInt8>, on path: ICEPath, at now: MediaTime) {
        _ = port.insert(datagram, on: path, at: now)
    }

    func advance(to now: MediaTime, transmit: (ICEPath, [UInt8]) -> Void) -> MediaTime {
        for _ in 0..<100_000 {
            switch port.poll(at: now, into: &bytes) {
            case .transmit(on: let path): transmit(path, bytes)
            case .event(let peer, let event): events.append((peer, event))
            case .wait(until: let time):
                precondition(time > now)
                return time
            }
        }
        preconditionFailure("polling does not come to an end")
    }
}

@Suite struct ICEPortTests {
    private static let rtp: [UInt8] = [0x80, 96, 0, 1]

    private func server(_ generator: inout SeededGenerator) throws -> ICEAgent {
        let agent = ICEAgent(
            .controlled, credentials: ICECredentials(using: &generator), settings: ICESettings(seed: generator.next()))
        try agent.addLocalCandidate(AgentPair.address("192.0.2.1:5004"))
        return agent
    }

    @Test func `A hundred clients connect to one port, and each one's data is its own`() throws {
        var generator = SeededGenerator(seed: 8)
        let end = PortEnd(ICEPort(peerLimit: 100))
        let network = VirtualNetwork(try LinkSettings(notation: "loss=5%,delay=20ms"))
        network.add(end, at: [AgentPair.address("192.0.2.1:5004")])
        var clients: [(id: ICEPeerID, end: AgentEnd, address: UDPAddress)] = []
        for number in 0..<100 {
            let agent = try server(&generator)
            let address = UDPAddress(.v4(0x0A00_0000 + UInt32(number / 2)), port: UInt16(4000 + number % 2))
            let client = AgentEnd(
                ICEAgent(
                    .controlling, credentials: ICECredentials(using: &generator),
                    settings: ICESettings(seed: generator.next())))
            try client.agent.addLocalCandidate(address)
            try client.agent.setRemote(agent.credentials, isLite: false, at: .zero)
            client.agent.addRemoteCandidate(agent.localCandidates[0], at: .zero)
            let id = try end.port.add(agent)
            let theirs = client.agent.credentials
            try end.port.change(id) { (agent) throws(ICEError) in
                try agent.setRemote(theirs, isLite: false, at: .zero)
            }
            network.add(client, at: [address])
            clients.append((id, client, address))
        }
        #expect(throws: ICEError.tooManyPeers(limit: 100)) { try end.port.add(try server(&generator)) }
        network.run(until: MediaTime(nanoseconds: 30_000_000_000))
        for client in clients {
            #expect(client.end.agent.state == .completed && end.port[client.id]?.state == .completed)
            #expect(end.port[client.id]?.selectedPath == ICEPath(client.address))
            #expect(
                end.port.insert(ICEPortTests.rtp.span, on: ICEPath(client.address), at: network.now)
                    == .peer(client.id, .data))
        }
        #expect(end.port.pathCount == 100)

        // One goes: its address is a stranger's from now on, and the others stay.
        end.port.remove(clients[0].id)
        #expect(
            end.port.insert(ICEPortTests.rtp.span, on: ICEPath(clients[0].address), at: network.now)
                == .dropped(.unvalidatedAddress))
        network.run(until: network.now + .seconds(60))
        #expect(clients.dropFirst().allSatisfy { $0.end.agent.state == .completed })
        #expect(clients[0].end.agent.state == .failed && end.port.count == 99 && end.port.pathCount == 99)
        for client in clients { end.port.remove(client.id) }
        #expect(end.port.count == 0 && end.port.pathCount == 0)
    }

    @Test func `Agents that offer share a port towards different servers`() throws {
        var generator = SeededGenerator(seed: 16)
        let end = PortEnd(ICEPort(peerLimit: 10))
        let network = VirtualNetwork(try LinkSettings(notation: "loss=5%,delay=20ms"))
        let own = AgentPair.address("10.0.0.2:4000")
        network.add(end, at: [own])
        var ids: [ICEPeerID] = []
        var servers: [AgentEnd] = []
        for number in 1...5 {
            let server = AgentEnd(try server(&generator))
            let address = AgentPair.address("198.51.100.\(number):5004")
            let candidate = try server.agent.addLocalCandidate(address)
            network.add(server, at: [address])
            servers.append(server)
            let agent = ICEAgent(
                .controlling, credentials: ICECredentials(using: &generator),
                settings: ICESettings(seed: generator.next()))
            try agent.addLocalCandidate(own)
            let id = try end.port.add(agent)
            let theirs = server.agent.credentials
            try server.agent.setRemote(agent.credentials, isLite: false, at: .zero)
            try end.port.change(id) { (agent) throws(ICEError) in
                try agent.setRemote(theirs, isLite: false, at: .zero)
                agent.addRemoteCandidate(candidate, at: .zero)
            }
            ids.append(id)
        }
        network.run(until: MediaTime(nanoseconds: 60_000_000_000))
        for (id, server) in zip(ids, servers) {
            #expect(end.port[id]?.state == .completed && server.agent.state == .completed)
            let path = try existing(end.port[id]?.selectedPath)
            #expect(end.port.insert(ICEPortTests.rtp.span, on: path, at: network.now) == .peer(id, .data))
        }
        #expect(end.port.pathCount == 5)
    }

    @Test func `Nothing but STUN is passed on from an address before it has answered a check`() throws {
        var generator = SeededGenerator(seed: 9)
        let port = ICEPort(peerLimit: 10)
        let (agent, theirs) = (try server(&generator), ICECredentials(using: &generator))
        let peer = CheckWriter(to: agent, from: theirs.usernameFragment)
        let id = try port.add(agent)
        try port.change(id) { (agent) throws(ICEError) in try agent.setRemote(theirs, isLite: false, at: .zero) }
        let path = ICEPath(AgentPair.address("10.0.0.1:1"))
        var forged = peer
        forged.key = STUNIntegrityKey(password: [1])
        for datagram in [ICEPortTests.rtp, [22, 254, 253], [0], [], [1, 2, 3]] {
            #expect(port.insert(datagram.span, on: path, at: .zero) == .dropped(.unvalidatedAddress))
        }
        #expect(port.insert(forged.request(1).span, on: path, at: .zero) == .peer(id, .dropped(.wrongIntegrity)))
        #expect(port.insert(ICEPortTests.rtp.span, on: path, at: .zero) == .dropped(.unvalidatedAddress))
        // A check may be a copy that somebody else sends.
        #expect(port.insert(peer.request(1).span, on: path, at: .zero) == .peer(id, .answered(nominates: false)))
        #expect(port.insert(ICEPortTests.rtp.span, on: path, at: .zero) == .peer(id, .early))
        #expect(port.pathCount == 0)
        let answers = try answers(of: port, theirs)
        #expect(answers.map(\.path) == [path])
        let answer = try existing(answers.first).bytes
        #expect(port.insert(answer.span, on: path, at: .zero) == .peer(id, .confirmed(roundTripTime: .zero)))
        #expect(port.insert(ICEPortTests.rtp.span, on: path, at: .zero) == .peer(id, .data))
        let elsewhere = ICEPath(AgentPair.address("10.0.0.1:2"))
        #expect(port.insert(ICEPortTests.rtp.span, on: elsewhere, at: .zero) == .dropped(.unvalidatedAddress))
        #expect(port.statistics.earlyReceived == 1 && port.statistics.dataReceived == 1 && port.pathCount == 1)
    }

    /// The peer's answers to the checks that a port transmits now.
    private func answers(
        of port: ICEPort, _ theirs: ICECredentials, at now: MediaTime = .zero
    ) throws -> [(path: ICEPath, bytes: [UInt8])] {
        var (bytes, answers): ([UInt8], [(ICEPath, [UInt8])]) = ([], [])
        let key = STUNIntegrityKey(password: Array(theirs.password.utf8))
        while true {
            switch port.poll(at: now, into: &bytes) {
            case .transmit(on: let path):
                guard let id = CheckWriter.transaction(of: bytes) else { continue }
                answers.append((path, CheckWriter.answer(to: id, from: path.remote, key)))
            case .event: continue
            case .wait: return answers
            }
        }
    }

    @Test func `An address belongs to all peers that validated it, and to nobody who only names it or checks from it`()
        throws
    {
        var generator = SeededGenerator(seed: 10)
        let port = ICEPort(peerLimit: 20)
        let path = ICEPath(AgentPair.address("10.0.0.1:1"))
        func add() throws -> (id: ICEPeerID, writer: CheckWriter, theirs: ICECredentials) {
            let (agent, theirs) = (try server(&generator), ICECredentials(using: &generator))
            let writer = CheckWriter(to: agent, from: theirs.usernameFragment)
            let id = try port.add(agent)
            try port.change(id) { (agent) throws(ICEError) in
                try agent.setRemote(theirs, isLite: false, at: .zero)
                agent.addRemoteCandidate(ICECandidate(.host, path.remote, foundation: "1"), at: .zero)
            }
            return (id, writer, theirs)
        }
        func insert(_ bytes: [UInt8]) { _ = port.insert(bytes.span, on: path, at: .zero) }
        func insertData() -> ICEPortResult { port.insert(ICEPortTests.rtp.span, on: path, at: .zero) }
        let first = try add()
        for answer in try answers(of: port, first.theirs) { insert(answer.bytes) }
        #expect(insertData() == .peer(first.id, .data))
        // Another one announces the address, checks it, and is checked from there; a copy of that may be a stranger's.
        let second = try add()
        let theirAnswers = try answers(of: port, second.theirs)
        insert(second.writer.request(1))
        #expect(insertData() == .peer(first.id, .data) && port.pathCount == 1)
        // The answer to its check shows that it is there as well.
        #expect(theirAnswers.count == 1)
        insert(theirAnswers[0].bytes)
        #expect(insertData() == .shared([first.id, second.id]) && port.pathCount == 1)
        // The one whose data it was is the more likely from now on.
        port.take(4, second.id, on: path, at: .zero)
        #expect(insertData() == .shared([second.id, first.id]))
        #expect(port[second.id]?.statistics.first?.counts.packetsReceived == 1)
        // At most eight share it; the newest takes the place of the one that was quiet for longest.
        var others: [ICEPeerID] = []
        for _ in 0..<10 {
            let other = try add()
            for answer in try answers(of: port, other.theirs) { insert(answer.bytes) }
            others.append(other.id)
            port.take(4, second.id, on: path, at: .zero)
        }
        guard case .shared(let sharing) = insertData() else { throw TestFailure("it is not shared") }
        #expect(sharing.count == ICEPort.maximumSharedCount && sharing.prefix(2) == [second.id, first.id])
        #expect(sharing.last == others.last && port.statistics.sharedReceived == 3)
        for id in others + [second.id] { port.remove(id) }
        #expect(insertData() == .peer(first.id, .data))
        port.remove(first.id)
        #expect(insertData() == .dropped(.unvalidatedAddress) && port.pathCount == 0)
    }

    @Test func `A restart is known by both fragments until a new path is nominated`() throws {
        var generator = SeededGenerator(seed: 11)
        let port = ICEPort(peerLimit: 10)
        let (agent, theirs) = (try server(&generator), ICECredentials(using: &generator))
        var former = CheckWriter(to: agent, from: theirs.usernameFragment)
        former.nominates = true
        let id = try port.add(agent)
        let path = ICEPath(AgentPair.address("10.0.0.1:1"))
        func introduce() throws {
            try port.change(id) { (agent) throws(ICEError) in try agent.setRemote(theirs, isLite: false, at: .zero) }
        }
        func confirm() throws {
            for answer in try answers(of: port, theirs) {
                let bytes = answer.bytes
                _ = port.insert(bytes.span, on: answer.path, at: .zero)
            }
        }
        try introduce()
        _ = port.insert(former.request(1).span, on: path, at: .zero)
        try confirm()
        #expect(agent.state == .completed)
        let new = ICECredentials(using: &generator)
        port.change(id) { $0.restart(with: new) }
        try introduce()
        #expect(port.insert(former.request(2).span, on: path, at: .zero) == .peer(id, .answered(nominates: false)))
        // Restarted once more before there was a path: the one in use is still that of the first credentials.
        let newest = ICECredentials(using: &generator)
        port.change(id) { $0.restart(with: newest) }
        try introduce()
        #expect(port.insert(former.request(3).span, on: path, at: .zero) == .peer(id, .answered(nominates: false)))
        #expect(agent.selectedPath == path)
        var current = CheckWriter(to: agent, from: theirs.usernameFragment)
        current.nominates = true
        #expect(port.insert(current.request(4).span, on: path, at: .zero) == .peer(id, .answered(nominates: true)))
        try confirm()
        #expect(port.insert(former.request(5).span, on: path, at: .zero) == .dropped(.unknownUsername))
        #expect(agent.selectedPath == path && agent.state == .completed)
    }

    @Test func `Peers with equal fragments are refused by name`() throws {
        let port = ICEPort(peerLimit: 10)
        let credentials = try ICECredentials(usernameFragment: "same", password: String(repeating: "p", count: 22))
        func agent() -> ICEAgent { ICEAgent(.controlled, credentials: credentials, settings: ICESettings(seed: 1)) }
        _ = try port.add(agent())
        #expect(throws: ICEError.usernameFragmentInUse("same")) { try port.add(agent()) }
    }
}
