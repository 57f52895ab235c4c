import RillCore
import RillForward
import RillPeer
import RillPeerSupport
import RillRTP
import RillTestSupport
import Testing

/// What somebody without a key does to ten viewers of 1 Mbit/s and their publisher: nothing.
@Suite(.serialized) struct AttackTests {
    /// How long an attack lasts here: a minute where there is time for it.
    private static let duration = MediaDuration.seconds(isLongRun ? 60 : 10)

    /// 99 % of the frames reach everybody, and three times the bytes from an address at most go there.
    private func expectHarmless(_ outcome: Siege.Outcome, _ name: String, least: Double = 99) {
        note("\(name): \(outcome.text)")
        #expect(outcome.least >= least, "\(name): \(outcome.text)")
        #expect(outcome.amplification <= 3, "\(name): \(outcome.text)")
        #expect(outcome.dataTowards == 0, "\(name): \(outcome.text)")
        // Each of the attacker's datagrams was counted.
        #expect(outcome.counts["datagramsReceived", default: 0] > outcome.forgedCount, "\(name): \(outcome.text)")
    }

    private func expectNothingLasts(_ siege: Siege, _ name: String) {
        let outcome = siege.outcome(after: .seconds(isLongRun ? 40 : 3))
        #expect(outcome.least >= 99, "after \(name): \(outcome.text)")
        #expect(siege.room.forwarder.sessionCount == (1, siege.viewers.count), "after \(name)")
    }

    @Test func `without an attack every frame arrives`() throws {
        let siege = try Siege()
        let before = siege.viewers.map { siege.attacker.bytesTowards[$0.address, default: 0] }
        let outcome = siege.outcome(after: AttackTests.duration)
        note("no attack: \(outcome.text)")
        #expect(outcome.least >= 99.5, "\(outcome.text)")
        for (viewer, count) in zip(siege.viewers, before) {
            let bytes = siege.attacker.bytesTowards[viewer.address, default: 0] - count
            let rate = Double(bytes) * 8 / AttackTests.duration.seconds
            #expect(rate > 950_000, "\(rate) bit/s")
        }
    }

    /// How often, and from where, a captured check is replayed.
    struct Replay: CustomStringConvertible, Sendable {
        var description: String
        var interval: MediaDuration
        /// From so many addresses in turn.
        var addressCount = 1
        /// From the ports beside the client's own.
        var isNeighbor = false
        var isOfPublisher = false
        var check = Check.newest
    }

    /// Which check is replayed.
    enum Check {
        /// The client's first one.
        case first
        /// The nomination that was the newest one when the attack began.
        case one
        /// The nomination that is the newest one.
        case newest
    }

    static let replays = [
        Replay(description: "a viewer's nomination, once", interval: .seconds(1000)),
        Replay(description: "a viewer's nominations every 3 s", interval: .seconds(3)),
        Replay(description: "a viewer's nominations ten times a second", interval: .milliseconds(100)),
        Replay(description: "a viewer's nominations 100 times a second", interval: .milliseconds(10)),
        Replay(
            description: "a viewer's nominations from 1,000 addresses", interval: .milliseconds(10),
            addressCount: 1000),
        Replay(
            description: "a viewer's nominations from the next port", interval: .milliseconds(100), isNeighbor: true),
        Replay(description: "one nomination of a viewer", interval: .milliseconds(100), check: .one),
        Replay(description: "a viewer's first check", interval: .milliseconds(100), check: .first),
        Replay(description: "the publisher's nominations every 3 s", interval: .seconds(3), isOfPublisher: true),
        Replay(
            description: "the publisher's nominations from 1,000 addresses", interval: .milliseconds(10),
            addressCount: 1000, isOfPublisher: true),
        Replay(
            description: "the publisher's first check", interval: .milliseconds(100), addressCount: 3,
            isOfPublisher: true, check: .first),
    ]

    @Test func `captured checks that are replayed from elsewhere change nothing`() throws {
        let siege = try Siege()
        for (index, replay) in AttackTests.replays.enumerated() {
            let client = replay.isOfPublisher ? siege.publisher : siege.viewers[index % siege.viewers.count]
            let check = replay.check == .first ? try siege.oldCheck(of: client) : try siege.nomination(of: client)
            siege.attacker.send(every: replay.interval, until: siege.room.now + AttackTests.duration) { number in
                let place = number % replay.addressCount
                let source =
                    replay.isNeighbor
                    ? UDPAddress(client.address.ip, port: UInt16(5000 + place))
                    : Attacker.address(index * 2000 + place)
                let newest = replay.check == .newest ? try? siege.nomination(of: client) : nil
                return [.init(newest ?? check, from: source, to: siege.server)]
            }
            expectHarmless(siege.outcome(after: AttackTests.duration), replay.description)
        }
        expectNothingLasts(siege, "replays")
    }

    @Test func `a check that arrives from elsewhere before the client's own changes nothing`() throws {
        let siege = try Siege()
        siege.attacker.races = { seen in
            guard seen.destination == siege.server, STUNMessage.matches(seen.bytes.span), seen.bytes[0] == 0 else {
                return []
            }
            return [.init(seen.bytes, from: Attacker.address(Int(seen.source.port)), to: siege.server)]
        }
        // Consent would be lost after 30 s.
        expectHarmless(siege.outcome(after: .seconds(isLongRun ? 120 : 40)), "the first to arrive")
    }

    @Test func `a publisher's check of ten minutes ago changes nothing`() throws {
        let siege = try Siege(viewers: 1)
        let (check, nomination) = (
            try siege.oldCheck(of: siege.publisher), try siege.nomination(of: siege.publisher)
        )
        for client in siege.viewers + [siege.publisher] { client.end.isLogging = false }
        siege.room.run(.seconds(isLongRun ? 600 : 60))
        for client in siege.viewers + [siege.publisher] { client.end.isLogging = true }
        siege.attacker.send(every: .seconds(3), until: .distantFuture) { number in
            [.init(number % 2 == 0 ? check : nomination, from: Attacker.address(7), to: siege.server)]
        }
        expectHarmless(siege.outcome(after: AttackTests.duration), "an old check of the publisher")
    }

    @Test func `a client's address cannot be claimed with somebody else's checks`() throws {
        let siege = try Siege()
        // A viewer who has a session, and knows the addresses of the others.
        let thief = siege.viewers[9]
        var random = SeededGenerator(seed: 5)
        for (interval, victim) in [(6000, siege.viewers[0]), (100, siege.viewers[1]), (10, siege.publisher)] {
            let writer = try CheckForger(of: thief)
            siege.attacker.send(
                every: .milliseconds(interval), until: siege.room.now + AttackTests.duration
            ) { number in
                let isOwn = number % 2 == 0
                let check =
                    isOwn
                    ? writer.request(random.next(), nominates: number % 4 == 0)
                    : siege.attacker.checks[thief.address]?.last?.bytes ?? []
                return [.init(check, from: victim.address, to: siege.server)]
            }
            expectHarmless(
                siege.outcome(after: AttackTests.duration), "claims of \(victim.address) every \(interval) ms")
        }
        expectNothingLasts(siege, "claims")
    }

    @Test func `an offer that lists another client's address does not get its datagrams`() throws {
        let siege = try Siege(viewers: 5)
        for victim in [siege.publisher, siege.viewers[0]] {
            _ = try siege.room.watch("lobby") { $0.listing([victim.address]) }
            let outcome = siege.outcome(after: AttackTests.duration)
            note("an offer with \(victim.address): \(outcome.text)")
            #expect(outcome.least >= 99, "an offer with \(victim.address): \(outcome.text)")
        }
    }

    @Test func `DTLS, garbage and damaged packets from anywhere change nothing`() throws {
        let siege = try Siege()
        var random = SeededGenerator(seed: 11)
        let clients = siege.viewers + [siege.publisher]
        // Unprotected alerts of DTLS 1.2: close_notify, and a fatal handshake_failure.
        let alerts: [[UInt8]] = [
            [21, 0xFE, 0xFD, 0, 0, 0, 0, 0, 0, 0, 9, 0, 2, 1, 0],
            [21, 0xFE, 0xFD, 0, 0, 0, 0, 0, 0, 0, 9, 0, 2, 2, 40],
        ]
        func forge(_ number: Int, _ client: ForwardNetwork.Client) -> [UInt8] {
            switch number % 6 {
            case 0: return siege.attacker.handshakes[client.address]?.randomElement(using: &random)?.bytes ?? []
            case 1: return alerts[number / 6 % 2]
            case 2: return (0..<Int.random(in: 1...1500, using: &random)).map { _ in random.next() }
            case 3:
                let bytes = siege.attacker.packets[client.address]?.randomElement(using: &random)?.bytes ?? [128, 96]
                return Array(bytes.prefix(Int.random(in: 1...bytes.count, using: &random)))
            case 4:
                var bytes = siege.attacker.packets[client.address]?.randomElement(using: &random)?.bytes ?? [128, 96]
                bytes[Int.random(in: 0..<bytes.count, using: &random)] ^= 1 << UInt8.random(in: 0..<8, using: &random)
                return bytes
            default: return siege.attacker.packets[client.address]?.randomElement(using: &random)?.bytes ?? []
            }
        }
        for isSpoofed in [false, true] {
            siege.attacker.send(every: .milliseconds(10), until: siege.room.now + AttackTests.duration) { number in
                let client = clients[number / 6 % clients.count]
                return [
                    .init(
                        forge(number, client), from: isSpoofed ? client.address : Attacker.address(number % 50),
                        to: siege.server)
                ]
            }
            expectHarmless(
                siege.outcome(after: AttackTests.duration), isSpoofed ? "garbage from clients" : "garbage")
        }
        expectNothingLasts(siege, "garbage")
    }

    @Test func `what is sent to the clients in the server's name changes nothing`() throws {
        let siege = try Siege()
        var random = SeededGenerator(seed: 12)
        let clients = siege.viewers + [siege.publisher]
        siege.attacker.send(every: .milliseconds(10), until: siege.room.now + AttackTests.duration) { number in
            let client = clients[number % clients.count]
            let seen: [Attacker.Seen]? =
                switch number / clients.count % 4 {
                case 0: siege.attacker.checks[siege.server]?.filter { $0.destination == client.address }
                case 1: siege.attacker.responses[siege.server]
                case 2: siege.attacker.handshakes[siege.server]
                default: siege.attacker.packets[siege.server]
                }
            let bytes = seen?.randomElement(using: &random)?.bytes ?? [128, 1, 2]
            let source = number % 3 == 0 ? siege.server : Attacker.address(number % 5)
            return [.init(bytes, from: source, to: client.address)]
        }
        let outcome = siege.outcome(after: AttackTests.duration)
        note("towards clients: \(outcome.text)")
        #expect(outcome.least >= 99, "\(outcome.text)")
        #expect(outcome.amplification <= 3, "\(outcome.text)")
    }

    @Test func `a viewer who asks for key frames all the time harms nobody else`() throws {
        let siege = try Siege()
        let flooder = siege.viewers[9]
        let isVideo = { (seen: Attacker.Seen) in
            seen.destination == flooder.address && DatagramKind(of: seen.bytes.span) == .rtp
        }
        let sender = try existing(siege.attacker.packets[siege.server]?.last(where: isVideo))
        // The SSRC is in clear in packets of SRTP.
        let ssrc = Array(sender.bytes[8..<12])
        let report: [UInt8] = [0x80, 201, 0, 1, 0, 0, 0, 9]
        siege.attacker.send(every: .milliseconds(10), until: siege.room.now + AttackTests.duration) { _ in
            _ = flooder.end.peer.send(packet: (report + [0x81, 206, 0, 2, 0, 0, 0, 9] + ssrc).span)
            return []
        }
        let outcome = siege.outcome(after: AttackTests.duration)
        note("a flood of PLI: \(outcome.text)")
        #expect(outcome.shares.dropLast().allSatisfy { $0 >= 99 }, "\(outcome.text)")
        #expect(Double(outcome.keyFrameRequests) <= AttackTests.duration.seconds + 1, "\(outcome.text)")
    }
}

extension String {
    /// An offer with these candidates before its own.
    func listing(_ addresses: [UDPAddress]) -> String {
        let lines = addresses.enumerated().map { index, address in
            "a=candidate:\(100 + index) 1 udp \(2_130_706_431 - index) \(address.ip) \(address.port) typ host\r\n"
        }
        guard let place = firstRange(of: "a=candidate:") else { return self }
        return self[..<place.lowerBound] + lines.joined() + self[place.lowerBound...]
    }
}

/// Makes authentic checks of a client by hand.
struct CheckForger {
    private let username: String
    private let key: STUNIntegrityKey?

    init(of client: ForwardNetwork.Client) throws {
        let agent = client.end.peer.agent
        let remote = try existing(agent.remoteCredentials)
        username = "\(remote.usernameFragment):\(agent.credentials.usernameFragment)"
        key = STUNIntegrityKey(password: Array(remote.password.utf8))
    }

    func request(_ number: UInt64, nominates: Bool) -> [UInt8] {
        [UInt8](capacity: 1500) { output in
            let id = STUNTransactionID(high: 77, low: number)
            let writer = STUNMessageWriter(.bindingRequest, id, into: &output)
            writer.append(.username(Array(username.utf8)), into: &output)
            writer.append(.priority(0x6e00_01ff), into: &output)
            writer.append(.iceControlling(.max), into: &output)
            if nominates { writer.append(.useCandidate, into: &output) }
            writer.finish(key, .sha1, into: &output)
        }
    }
}
