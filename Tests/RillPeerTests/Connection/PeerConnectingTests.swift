import RillCore
import RillLink
import RillPeer
import RillPeerSupport
import RillTestSupport
import Testing

/// How long it takes from an answer to a connection, and what is sent until then.
@Suite struct PeerConnectingTests {
    /// - Parameter isHidden: whether the offer has no candidates, as a browser's that has only names of multicast DNS.
    private func pair(
        _ link: String, isHidden: Bool, answering role: DTLSRole = .client, seed: UInt64 = 1
    ) throws -> PeerPair {
        let pair = try PeerPair(
            [PeerConnectionTests.simulcast], [PeerConnectionTests.answering], link: LinkSettings(notation: link),
            seed: seed
        ) { $0.negotiation.answeringRole = role }
        var offer = try pair.offerer.peer.offer(at: .zero).text
        if isHidden {
            offer =
                offer.split(separator: "\r\n").filter { !$0.hasPrefix("a=candidate:") }.joined(separator: "\r\n")
                + "\r\n"
        }
        let answer = try pair.answerer.peer.answer(offer, at: .zero).text
        #expect(!answer.contains("ice-lite") && answer.contains("a=ice-options:trickle"))
        try pair.offerer.peer.setRemote(.answer, answer, at: .zero)
        return pair
    }

    private func times(_ link: String, isHidden: Bool, answering role: DTLSRole = .client) throws -> [Int] {
        try (1...20).map { seed in
            let pair = try pair(link, isHidden: isHidden, answering: role, seed: UInt64(seed))
            #expect(pair.connect())
            #expect(pair.answerer.peer.agent.counts.datagramsWithheld == 0)
            return try existing(pair.offerer.time(of: .connected)).milliseconds
        }.sorted()
    }

    // With a lite server it took 40 ms, with a handshake that waits for a path 60 ms.
    @Test(arguments: [true, false])
    func `An offerer is connected two round trips after the answer`(isHidden: Bool) throws {
        let clean = try times("delay=10ms", isHidden: isHidden)
        let scattered = try times("delay=10ms,jitter=3ms", isHidden: isHidden)
        note("connected after \(clean) ms, with jitter \(scattered) ms")
        #expect(clean[10] <= 40 && clean[19] <= 40, "\(clean)")
        #expect(scattered[10] <= 65, "\(scattered)")
    }

    @Test func `Where the peer begins the handshake, nothing of it is lost before its check is answered`() throws {
        let clean = try times("delay=10ms", isHidden: true, answering: .server)
        let scattered = try times("delay=10ms,jitter=8ms", isHidden: true, answering: .server)
        note("connected after \(clean) ms, with jitter \(scattered) ms")
        #expect(clean[10] <= 60 && clean[19] <= 60, "\(clean)")
        #expect(scattered[10] <= 110, "\(scattered)")
    }

    @Test func `A handshake that comes before the answer to our check is held, a flight of it at most`() throws {
        let pair = try pair("delay=10ms", isHidden: true, answering: .server)
        let (server, source) = (pair.answerer, ICEPath(PeerPair.addresses.offerer))
        pair.network.isBlocked = { from, _ in from == PeerPair.addresses.answerer }
        pair.network.run(until: .zero + .milliseconds(12))
        let hello: [UInt8] = [22, 254, 255, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0]
        for number in 0..<6 {
            server.take(hello.span, on: source, at: pair.network.now)
            #expect(server.results.last == (number < 4 ? .held : .dropped(.early)))
        }
        let media: [UInt8] = [0x80, 96, 0, 1]
        server.take(media.span, on: source, at: pair.network.now)
        #expect(server.results.last == .dropped(.early))
        server.take(hello.span, on: ICEPath(AgentPair.address("203.0.113.9:9")), at: pair.network.now)
        #expect(server.results.last == .ice(.dropped(.unvalidatedAddress)))
        // What is held does not stand in the way of the handshake.
        pair.network.isBlocked = { _, _ in false }
        #expect(pair.connect(within: .seconds(5)))
    }

    /// A copy of the first check comes from another address, while the peer's is not answered yet.
    @Test func `A handshake that was begun towards a stranger goes on with the peer`() throws {
        let pair = try pair("delay=10ms", isHidden: true)
        let unknownPeer = ICEPath(AgentPair.address("203.0.113.9:9"))
        pair.network.run(until: .zero + .milliseconds(9))
        let check = try existing(pair.offerer.sent.first)
        var (sent, kinds): (Int, Set<Bool>) = (0, [])
        pair.answerer.take(check.span, on: unknownPeer, at: pair.network.now)
        _ = pair.answerer.advance(to: pair.network.now) { path, bytes in
            sent += path == unknownPeer ? bytes.count : 0
            kinds.insert(bytes[0] > 3)
        }
        #expect(kinds == [true, false] && sent <= 3 * check.count, "\(sent) bytes for \(check.count)")
        #expect(pair.connect(within: .seconds(1)))
        #expect(pair.answerer.peer.agent.selectedPath?.remote == PeerPair.addresses.offerer)
        let time = try existing(pair.offerer.time(of: .connected)).milliseconds
        #expect(time <= 60, "\(time) ms")
    }

    // MARK: Restarts

    @Test func `Of two restarts at once, the one of the side that does not give way goes on`() throws {
        let pair = try PeerPair([PeerConnectionTests.simulcast], [PeerConnectionTests.answering])
        try pair.negotiate()
        #expect(pair.connect())
        let former = pair.answerer.peer.agent.credentials
        let offer = try pair.offerer.peer.offer(restartsICE: true, at: pair.network.now).text
        _ = try pair.answerer.peer.offer(restartsICE: true, at: pair.network.now)
        let answer = try pair.answerer.peer.answer(offer, at: pair.network.now).text
        try pair.offerer.peer.setRemote(.answer, answer, at: pair.network.now)
        expectAgreement(pair)
        #expect(pair.answerer.peer.agent.credentials != former)
    }

    @Test func `A restart that is taken back leaves no credentials behind`() throws {
        for isGlare in [true, false] {
            let pair = try PeerPair([PeerConnectionTests.simulcast], [PeerConnectionTests.answering])
            try pair.negotiate()
            #expect(pair.connect())
            let former = pair.answerer.peer.agent.credentials
            let path = pair.answerer.peer.agent.selectedPath
            _ = try pair.answerer.peer.offer(restartsICE: true, at: pair.network.now)
            pair.run(.seconds(1))
            if !isGlare { try pair.answerer.peer.rollback(at: pair.network.now) }
            // The other side's offer does not restart.
            try pair.negotiate()
            #expect(pair.answerer.peer.agent.credentials == former && pair.answerer.peer.agent.selectedPath == path)
            expectAgreement(pair)
        }
    }

    /// Both sides have each other's credentials, and stay connected.
    private func expectAgreement(_ pair: PeerPair) {
        pair.run(.seconds(60))
        let (one, other) = (pair.offerer.peer.agent, pair.answerer.peer.agent)
        #expect(one.remoteCredentials == other.credentials && other.remoteCredentials == one.credentials)
        #expect(pair.isConnected && one.state == .completed && other.state == .completed)
        for end in [pair.offerer, pair.answerer] {
            #expect(!end.states.contains(.disconnected) && !end.states.contains(.failed))
        }
    }

    // MARK: One address

    @Test func `Connections between the same two ports are told apart by their keys`() throws {
        let addresses = PeerPair.addresses
        let (here, there) = (PortOfPeers(), PortOfPeers())
        let network = VirtualNetwork(try LinkSettings(notation: "delay=10ms"))
        network.add(here, at: [addresses.offerer])
        network.add(there, at: [addresses.answerer])
        var ids: [(ICEPeerID, ICEPeerID)] = []
        for seed in 1...3 {
            func make(_ role: ICERole, _ certificate: DTLSCertificate, _ address: UDPAddress) throws -> PeerConnection {
                let seed = UInt64(2 * seed + (role == .controlling ? 0 : 1))
                let peer = PeerConnection(
                    role, certificate: certificate, settings: PeerConnectionSettings(seed: seed),
                    using: SeededGenerator(seed: seed))
                try peer.addLocalCandidate(address)
                return peer
            }
            let one = try make(.controlling, PeerPair.certificates.offerer, addresses.offerer)
            let other = try make(.controlled, PeerPair.certificates.answerer, addresses.answerer)
            try one.change { (negotiator) throws(NegotiationError) in
                _ = try negotiator.addTransceiver(PeerConnectionTests.simulcast)
            }
            let answer = try other.answer(try one.offer(at: network.now).text, at: network.now).text
            try one.setRemote(.answer, answer, at: network.now)
            ids.append((try here.port.add(one), try there.port.add(other)))
            network.run(until: network.now + .seconds(1))
            // One by one: no record of a handshake has integrity.
            #expect(ids.allSatisfy { here.port[$0.0]?.state == .connected && there.port[$0.1]?.state == .connected })
        }
        network.run(until: network.now + .seconds(60))
        for (index, (_, id)) in ids.enumerated() {
            // Reports of each arrive where they belong.
            let connection = try existing(there.port[id])
            #expect(connection.state == .connected && there.media[id, default: 0] > 5, "\(index): \(there.media)")
        }
        #expect(there.port.statistics.sharedReceived > 0 && there.port.pathCount == 1)
    }
}

/// A port of connections that nobody films for.
final class PortOfPeers: NetworkEnd {
    let port: PeerPort
    private(set) var media: [ICEPeerID: Int] = [:]
    private(set) var events: [PeerEvent] = []
    private var bytes: [UInt8] = []

    init(passesMedia: Bool = false) { port = PeerPort(peerLimit: 10, passesMedia: passesMedia) }

    func take(_ datagram: Span<UInt8>, on path: ICEPath, at now: MediaTime) {
        var copy = datagram.array
        var span = copy.mutableSpan
        if case .peer(let id, .media) = port.insert(&span, on: path, at: now) { media[id, default: 0] += 1 }
    }

    func advance(to now: MediaTime, transmit: (ICEPath, [UInt8]) -> Void) -> MediaTime {
        while true {
            switch port.poll(at: now, into: &bytes) {
            case .transmit(on: let path): transmit(path, bytes)
            case .decode, .payload, .makeKeyFrame: break
            case .event(_, let event): events.append(event)
            case .wait(until: let time): return time
            }
        }
    }
}

extension MediaTime {
    fileprivate var milliseconds: Int { Int(nanoseconds / 1_000_000) }
}
