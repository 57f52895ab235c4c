import RillCore
import RillForward
import RillPeer
import RillPeerSupport
import RillRTP
import RillTestSupport
import Testing

/// Forged addresses do not receive more than three times the bytes that came from them, in every phase of a connection.
@Suite(.serialized) struct AmplificationTests {
    /// Where a connection stands when checks of its client begin to come from somewhere else.
    enum Phase: CaseIterable {
        /// Nothing of the client has arrived.
        case unknown
        /// It is known where the client is, and DTLS does not get through.
        case handshake
        case connected
        /// The client is gone.
        case silent
    }

    @Test(arguments: Phase.allCases)
    func `a retransmitted check brings at most three times its bytes`(phase: Phase) throws {
        for interval in [20_000, 1000, 100, 10] {
            let room = try ForwardNetwork("delay=20ms")
            let attacker = Attacker(on: room.network)
            _ = try room.publish("lobby")
            room.run(.seconds(1))
            // Nothing of the next client gets through, or no DTLS.
            let address = UDPAddress(.v4(0x0A00_0002), port: 4000)
            attacker.drops = { seen in
                guard seen.source == address || seen.destination == address else { return false }
                switch phase {
                case .unknown: return true
                case .handshake: return DatagramKind(of: seen.bytes.span) == .dtls
                case .connected: return false
                case .silent: return seen.time > .zero + .seconds(10)
                }
            }
            let viewer = try room.watch("lobby")
            #expect(viewer.address == address)
            switch phase {
            case .unknown, .handshake: room.run(.milliseconds(500))
            case .connected: room.run(.seconds(8))
            case .silent: room.run(.seconds(12))
            }
            #expect((viewer.end.peer.state == .connected) == (phase == .connected || phase == .silent))
            attacker.send(every: .milliseconds(interval), until: room.now + .seconds(20)) { number in
                let checks = attacker.checks[address] ?? []
                let check = checks.last { $0.nominates } ?? checks.last
                guard let check = number % 2 == 0 ? check : checks.last else { return [] }
                return [.init(check.bytes, from: Attacker.address(3), to: ForwardNetwork.serverAddress)]
            }
            room.run(.seconds(45))
            let traffic = try existing(attacker.traffic[Attacker.address(3)])
            note("\(phase), every \(interval) ms: \(traffic)")
            #expect(traffic.worst <= 3, "\(phase), every \(interval) ms: \(traffic)")
            // A first handshake may begin before the address has answered; media may not.
            #expect(phase == .unknown || traffic.dataTowards == 0, "\(phase), every \(interval) ms: \(traffic)")
        }
    }

    /// Checks of candidates that were signaled are what ICE is (RFC 8445 §19.5.1). They are few, and all that is sent.
    @Test func `candidates that nobody has get a few checks and no data`() throws {
        let room = try ForwardNetwork("delay=20ms")
        let attacker = Attacker(on: room.network)
        _ = try room.publish("lobby")
        room.run(.seconds(1))
        let victims = (0..<64).map { UDPAddress(.v4(0xC612_0900), port: UInt16(2000 + $0)) }
        let viewer = try room.watch("lobby") { $0.listing(victims) }
        room.run(.seconds(60))
        #expect(viewer.end.peer.state == .connected)
        let traffic = victims.compactMap { attacker.traffic[$0] }
        let (bytes, data) = (
            traffic.reduce(0) { $0 + $1.towards }, traffic.reduce(0) { $0 + $1.dataTowards }
        )
        note("64 candidates: \(bytes) bytes of checks, \(data) of data")
        #expect(data == 0)
        // Seven times each at most, of about 100 bytes.
        #expect(bytes <= 64 * 7 * 130, "\(bytes)")
    }

    @Test(arguments: [false, true])
    func `useless candidates before a client's own do not delay it`(isBehindNAT: Bool) throws {
        var times: [MediaDuration] = []
        for count in [0, 1, 16, 63, 64, 100] {
            let room = try ForwardNetwork("delay=20ms")
            _ = Attacker(on: room.network)
            _ = try room.publish("lobby")
            room.run(.seconds(1))
            let inner = UDPAddress(.v4(0x0A00_0002), port: 4000)
            if isBehindNAT { room.network.translations[inner] = UDPAddress(.v4(0xC633_6401), port: 777) }
            let victims = (0..<count).map { UDPAddress(.v4(0xC612_0900), port: UInt16(2000 + $0)) }
            let start = room.now
            let viewer = try room.watch("lobby") { $0.listing(victims) }
            room.run(.seconds(10))
            let time = try existing(viewer.end.time(of: .connected))
            times.append(time - start)
            #expect(viewer.highFrames.count > 240, "\(count) candidates: \(viewer.frames.count) frames")
        }
        note("connected after \(times)")
        #expect(times.allSatisfy { $0 <= times[0] + .milliseconds(100) }, "\(times)")
    }
}
