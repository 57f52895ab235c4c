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

    private func lite(_ generator: inout SeededGenerator) throws -> ICEAgent {
        let agent = ICEAgent(
            .lite, credentials: ICECredentials(using: &generator), settings: ICESettings(seed: generator.next()))
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
            let agent = try lite(&generator)
            let address = UDPAddress(.v4(0x0A00_0000 + UInt32(number / 2)), port: UInt16(4000 + number % 2))
            let client = AgentEnd(
                ICEAgent(
                    .full(.controlling), credentials: ICECredentials(using: &generator),
                    settings: ICESettings(seed: generator.next())))
            try client.agent.addLocalCandidate(address)
            try client.agent.setRemote(agent.credentials, isLite: true, at: .zero)
            client.agent.addRemoteCandidate(agent.localCandidates[0], at: .zero)
            let id = try end.port.add(agent)
            let theirs = client.agent.credentials
            try end.port.change(id) { (agent) throws(ICEError) in
                try agent.setRemote(theirs, isLite: false, at: .zero)
            }
            network.add(client, at: [address])
            clients.append((id, client, address))
        }
        #expect(throws: ICEError.tooManyPeers(limit: 100)) { try end.port.add(try lite(&generator)) }
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

    @Test func `Full agents share a port towards different servers`() throws {
        var generator = SeededGenerator(seed: 16)
        let end = PortEnd(ICEPort(peerLimit: 10))
        let network = VirtualNetwork(try LinkSettings(notation: "loss=5%,delay=20ms"))
        let own = AgentPair.address("10.0.0.2:4000")
        network.add(end, at: [own])
        var ids: [ICEPeerID] = []
        var servers: [AgentEnd] = []
        for number in 1...5 {
            let server = AgentEnd(try lite(&generator))
            let address = AgentPair.address("198.51.100.\(number):5004")
            let candidate = try server.agent.addLocalCandidate(address)
            network.add(server, at: [address])
            servers.append(server)
            let agent = ICEAgent(
                .full(.controlling), credentials: ICECredentials(using: &generator),
                settings: ICESettings(seed: generator.next()))
            try agent.addLocalCandidate(own)
            let id = try end.port.add(agent)
            let theirs = server.agent.credentials
            try end.port.change(id) { (agent) throws(ICEError) in
                try agent.setRemote(theirs, isLite: true, at: .zero)
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

    @Test func `Nothing but STUN is passed on from an address before a request with the right integrity came from it`()
        throws
    {
        var generator = SeededGenerator(seed: 9)
        let port = ICEPort(peerLimit: 10)
        let agent = try lite(&generator)
        let peer = CheckWriter(to: agent)
        let id = try port.add(agent)
        let path = ICEPath(AgentPair.address("10.0.0.1:1"))
        var forged = peer
        forged.key = STUNIntegrityKey(password: [1])
        for datagram in [ICEPortTests.rtp, [22, 254, 253], [0], [], [1, 2, 3]] {
            #expect(port.insert(datagram.span, on: path, at: .zero) == .dropped(.unvalidatedAddress))
        }
        #expect(port.insert(forged.request(1).span, on: path, at: .zero) == .peer(id, .dropped(.wrongIntegrity)))
        #expect(port.insert(ICEPortTests.rtp.span, on: path, at: .zero) == .dropped(.unvalidatedAddress))
        #expect(port.insert(peer.request(1).span, on: path, at: .zero) == .peer(id, .answered(nominates: false)))
        #expect(port.insert(ICEPortTests.rtp.span, on: path, at: .zero) == .peer(id, .data))
        let elsewhere = ICEPath(AgentPair.address("10.0.0.1:2"))
        #expect(port.insert(ICEPortTests.rtp.span, on: elsewhere, at: .zero) == .dropped(.unvalidatedAddress))
    }

    @Test func `An address belongs to the peer of its last request`() throws {
        var generator = SeededGenerator(seed: 10)
        let port = ICEPort(peerLimit: 10)
        let agents = [try lite(&generator), try lite(&generator)]
        let writers = agents.map { CheckWriter(to: $0) }
        let ids = [try port.add(agents[0]), try port.add(agents[1])]
        let path = ICEPath(AgentPair.address("10.0.0.1:1"))
        for number in [0, 1, 0, 0, 1] {
            _ = port.insert(writers[number].request(1).span, on: path, at: .zero)
            #expect(port.insert(ICEPortTests.rtp.span, on: path, at: .zero) == .peer(ids[number], .data))
        }
        #expect(port.pathCount == 1)
        port.remove(ids[1])
        #expect(port.insert(ICEPortTests.rtp.span, on: path, at: .zero) == .dropped(.unvalidatedAddress))
    }

    @Test func `A restart is known by both fragments until a new path is nominated`() throws {
        var generator = SeededGenerator(seed: 11)
        let port = ICEPort(peerLimit: 10)
        let agent = try lite(&generator)
        var former = CheckWriter(to: agent)
        former.nominates = true
        let id = try port.add(agent)
        let path = ICEPath(AgentPair.address("10.0.0.1:1"))
        _ = port.insert(former.request(1).span, on: path, at: .zero)
        let new = ICECredentials(using: &generator)
        port.change(id) { $0.restart(with: new) }
        #expect(port.insert(former.request(2).span, on: path, at: .zero) == .peer(id, .answered(nominates: true)))
        var current = CheckWriter(to: agent)
        current.nominates = true
        #expect(port.insert(current.request(3).span, on: path, at: .zero) == .peer(id, .answered(nominates: true)))
        #expect(port.insert(former.request(4).span, on: path, at: .zero) == .dropped(.unknownUsername))
        #expect(agent.selectedPath == path)
    }

    @Test func `Peers with equal fragments are refused by name`() throws {
        let port = ICEPort(peerLimit: 10)
        let credentials = try ICECredentials(usernameFragment: "same", password: String(repeating: "p", count: 22))
        func agent() -> ICEAgent { ICEAgent(.lite, credentials: credentials, settings: ICESettings(seed: 1)) }
        _ = try port.add(agent())
        #expect(throws: ICEError.usernameFragmentInUse("same")) { try port.add(agent()) }
    }
}
