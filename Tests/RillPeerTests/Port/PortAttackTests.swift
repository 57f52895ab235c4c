import RillCore
import RillLink
import RillPeer
import RillPeerSupport
import RillTestSupport
import Testing

/// Full agents on one port: nobody takes the address of another peer.
@Suite(.serialized) struct PortAttackTests {
    /// A port whose connections are full agents, and clients that send to it.
    private final class Room {
        let network = VirtualNetwork(.clean.seeded(3))
        let end = FilmedPort()
        private(set) var clients: [(end: PeerEnd, id: ICEPeerID, address: UDPAddress)] = []
        private(set) var attacker: Attacker?

        static let address = AgentPair.address("192.0.2.1:5004")

        init() { network.add(end, at: [Room.address]) }

        func add(offering change: (String) -> String = { $0 }) throws {
            let number = clients.count + 1
            let address = UDPAddress(.v4(0x0A00_0000 + UInt32(number)), port: 4000)
            let peer = PeerConnection(
                .controlling, certificate: PeerPair.certificates.offerer,
                settings: PeerConnectionSettings(seed: UInt64(number)), using: SeededGenerator(seed: UInt64(number)))
            try peer.addLocalCandidate(address)
            try peer.change { _ = try $0.addTransceiver(TransceiverSettings(.video, .sendOnly)) }
            let made = PeerConnection(
                .controlled, certificate: PeerPair.certificates.answerer,
                settings: PeerConnectionSettings(seed: UInt64(100 + number)),
                using: SeededGenerator(seed: UInt64(100 + number)))
            try made.addLocalCandidate(Room.address)
            let answer = try made.answer(change(try peer.offer(at: network.now).text), at: network.now)
            let id = try end.port.add(made)
            end.port.change(id) { _ in }
            try peer.setRemote(.answer, answer.text, at: network.now)
            let client = PeerEnd(peer)
            client.frameByteCount = (12_000, 4100)
            network.add(client, at: [address])
            clients.append((client, id, address))
        }

        /// Everybody is there, and films.
        func begin() {
            attacker = Attacker(on: network)
            network.run(until: network.now + .seconds(2))
            for client in clients { client.end.film(from: network.now) }
            network.run(until: network.now + .seconds(8))
        }

        /// The shares of frames that arrive, in percent.
        func shares(_ duration: MediaDuration) -> [Double] {
            let before = clients.map { end.frameCounts[$0.id, default: 0] }
            network.run(until: network.now + duration)
            return zip(clients, before).map { client, count in
                Double(end.frameCounts[client.id, default: 0] - count) / (duration.seconds / 0.033) * 100
            }
        }
    }

    @Test func `a candidate in an offer does not take another peer's address`() throws {
        let room = Room()
        for _ in 0..<3 { try room.add() }
        room.begin()
        #expect(room.shares(.seconds(3)).allSatisfy { $0 >= 99 })
        // The first client's address, with a priority above all others.
        let victim = room.clients[0].address
        try room.add { offer in
            guard let place = offer.firstRange(of: "a=candidate:") else { return offer }
            let line = "a=candidate:7 1 udp 2130706431 \(victim.ip) \(victim.port) typ host\r\n"
            return offer[..<place.lowerBound] + line + offer[place.lowerBound...]
        }
        let shares = room.shares(.seconds(isLongRun ? 60 : 10))
        note("a candidate that is another's: \(shares)")
        #expect(shares.prefix(3).allSatisfy { $0 >= 99 }, "\(shares)")
        #expect(room.clients[3].end.peer.state == .connected)
    }

    @Test(arguments: [6000, 100, 10])
    func `a peer's own checks from another's address do not take it`(interval: Int) throws {
        let room = Room()
        for _ in 0..<4 { try room.add() }
        room.begin()
        let (attacker, thief) = (try existing(room.attacker), room.clients[3])
        let agent = try existing(room.end.port[thief.id]).agent
        var writer = CheckWriter(to: agent, from: thief.end.peer.agent.credentials.usernameFragment)
        attacker.send(every: .milliseconds(interval), until: .distantFuture) {
            [unowned attacker, unowned room] number in
            writer.nominates = number % 2 == 0
            let own = writer.request(UInt64(1000 + number))
            let seen = attacker.checks[thief.address]?.last { $0.nominates }
            let victim = room.clients[number / 4 % 2]
            return [.init(number % 4 < 2 ? own : seen?.bytes ?? own, from: victim.address, to: Room.address)]
        }
        let shares = room.shares(.seconds(isLongRun ? 60 : 13))
        note("claims every \(interval) ms: \(shares)")
        #expect(shares.prefix(3).allSatisfy { $0 >= 99 }, "\(shares)")
    }

    @Test(arguments: [(3000, 1), (10, 1), (10, 1000)])
    func `replayed checks move nothing between full agents`(interval: Int, addressCount: Int) throws {
        let room = Room()
        for _ in 0..<2 { try room.add() }
        room.begin()
        let (attacker, client) = (try existing(room.attacker), room.clients[0])
        attacker.send(every: .milliseconds(interval), until: .distantFuture) { [unowned attacker] number in
            let seen = attacker.checks[client.address]?.last { $0.nominates }
            return [
                .init(seen?.bytes ?? [], from: Attacker.address(number % addressCount), to: Room.address)
            ]
        }
        let shares = room.shares(.seconds(isLongRun ? 60 : 10))
        let worst = attacker.traffic.values.map(\.worst).max() ?? 0
        note("replays every \(interval) ms from \(addressCount): \(shares), \(worst) times the bytes")
        #expect(shares.allSatisfy { $0 >= 99 }, "\(shares)")
        #expect(worst <= 3)
    }
}

/// A port in virtual time that counts the frames of each connection.
private final class FilmedPort: NetworkEnd {
    let port = PeerPort(peerLimit: 100)
    private(set) var frameCounts: [ICEPeerID: Int] = [:]
    private var bytes: [UInt8] = []

    func take(_ datagram: Span<UInt8>, on path: ICEPath, at now: MediaTime) {
        var bytes = datagram.array
        var span = bytes.mutableSpan
        port.insert(&span, on: path, at: now)
    }

    func advance(to now: MediaTime, transmit: (ICEPath, [UInt8]) -> Void) -> MediaTime {
        for _ in 0..<1_000_000 {
            switch port.poll(at: now, into: &bytes) {
            case .transmit(on: let path): transmit(path, bytes)
            case .decode(let id, let stream):
                frameCounts[id, default: 0] += 1
                guard let session = port[id]?.session else { preconditionFailure("a frame without a session") }
                let frame = session.releasedFrame
                port.change(id) { _ in
                    session.finish(frame, of: stream, .decoded, picture: frame.frame.resolution, decoded: now, at: now)
                }
            case .makeKeyFrame, .payload, .event: break
            case .wait(until: let time): return time
            }
        }
        preconditionFailure("polling does not come to an end")
    }
}
