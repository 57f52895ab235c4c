import RillCore
import RillLink
import RillPeer
import RillPeerSupport
import RillTestSupport
import Testing

/// What strangers, and peers that misbehave, may do to a connection: make it fail, and nothing else.
///
/// Whoever measures memory has a process of its own: other tests would take some beside.
@Suite(.serialized) struct PeerUnknownPeerTests {
    /// A connection that answered, whose peer sends it pictures, and all that was sent to it so far.
    private static func connected() throws -> PeerPair {
        let pair = try PeerPair([PeerConnectionTests.simulcast], [PeerConnectionTests.answering])
        try pair.negotiate()
        #expect(pair.connect())
        pair.offerer.film(from: pair.network.now)
        pair.run(.seconds(2))
        pair.answerer.isLogging = false
        return pair
    }

    @Test func `No mutation of what peers send brings a connection down`() async {
        await #expect(processExitsWith: .success) { try Self.sendMutatedDatagrams() }
    }

    private static func sendMutatedDatagrams() throws {
        var pair = try connected()
        let seeds = Array(pair.offerer.sent.prefix(40)) + Array(pair.offerer.sent.suffix(40))
        // Requests of STUN.
        let checks = seeds.filter { $0.starts(with: [0, 1]) }
        try #require(!checks.isEmpty)
        let count = isLongRun ? 10_000_000 : isSanitized ? 20_000 : 100_000
        let path = ICEPath(PeerPair.addresses.offerer)
        let unknownPeer = ICEPath(AgentPair.address("203.0.113.9:9"))
        var (taken, failures, replayed, received, sent) = (0, 0, 0, 0, 0)
        var meter = GrowthMeter()
        for (index, input) in MutatedInputs(of: seeds, count: count, using: SeededGenerator(seed: 5)).enumerated() {
            let now = pair.network.now + .milliseconds(index % 1000)
            // Among what the stranger sends are copies of checks.
            let isUnknownPeer = index % 4 == 3
            var bytes = index % 400 == 3 ? checks[index / 400 % checks.count] : input
            if isUnknownPeer { received += bytes.count }
            var span = bytes.mutableSpan
            let result = pair.answerer.peer.insert(&span, on: isUnknownPeer ? unknownPeer : path, at: now)
            switch result {
            case .media: taken += 1
            case .ice(.dropped(.replayed)): replayed += 1
            case .ice, .dropped(.early): break
            case .dtls, .dropped, .passed, .held:
                if isUnknownPeer { Issue.record("a stranger's datagram was parsed: \(result)") }
            }
            if index % 20 == 0 {
                _ = pair.answerer.advance(to: now) { path, bytes in
                    if path != unknownPeer { return }
                    sent += bytes.count
                    if bytes[0] > 3 { Issue.record("a stranger is sent more than STUN") }
                }
                #expect(sent <= 3 * received && pair.answerer.peer.agent.selectedPath != unknownPeer)
            }
            if pair.answerer.peer.state != .connected || index % 20_000 == 19_999 {
                if let failure = pair.answerer.failure {
                    failures += 1
                    note("datagram \(index): \(failure)")
                }
                pair = try connected()
            }
            if index % (count / 20) == 0 { try meter.endRound() }
        }
        let growth = try existing(meter.least)
        note("\(count) datagrams, \(taken) of them taken, \(failures) failures, \(growth) bytes of growth")
        #expect(failures == 0 && replayed > 0, "\(replayed)")
        #expect(isSanitized || growth < 1_000_000, "\(growth) bytes")
    }

    @Test func `Handshakes begun and never ended leave no memory`() async {
        await #expect(processExitsWith: .success) { try Self.beginHandshakes() }
    }

    private static func beginHandshakes() throws {
        let port = PeerPort(peerLimit: 1000)
        let offerer = PeerConnection(
            .controlling, certificate: PeerPair.certificates.offerer, settings: PeerConnectionSettings(seed: 1))
        try offerer.change { (negotiator) throws(NegotiationError) in
            _ = try negotiator.addTransceiver(PeerConnectionTests.simulcast)
        }
        let offer = try offerer.offer(at: .zero).text
        let count = isLongRun ? 100_000 : isSanitized ? 300 : 3000
        var (failed, hellos, sent, received) = (0, 0, 0, 0)
        var meter = GrowthMeter()
        var now = MediaTime.zero
        var bytes: [UInt8] = []
        for index in 0..<count {
            let made = PeerConnection(
                .controlled, certificate: PeerPair.certificates.answerer,
                settings: PeerConnectionSettings(seed: UInt64(index)))
            try made.addLocalCandidate(PeerPair.addresses.answerer)
            let id = try port.add(made)
            try port.change(id) { peer throws(PeerError) in _ = try peer.answer(offer, at: now) }
            // A check makes it send its first message, which nobody answers: it is not repeated.
            let path = ICEPath(UDPAddress(.v4(0x0A00_0000 + UInt32(index)), port: 9))
            let fragment = try existing(made.agent.remoteCredentials).usernameFragment
            var writer = CheckWriter(to: made.agent, from: fragment)
            // As large as a browser's, or ours.
            writer.more = [.other(.software, Array("Rill".utf8))]
            var check = writer.request(UInt64(index))
            received += check.count
            var span = check.mutableSpan
            guard case .peer(id, .ice(.answered)) = port.insert(&span, on: path, at: now) else {
                throw TestFailure("the check is not answered")
            }
            now = now + .milliseconds(100)
            poll: while true {
                switch port.poll(at: now, into: &bytes) {
                case .transmit:
                    sent += bytes.count
                    hellos += bytes[0] == 22 ? 1 : 0
                case .event(let gone, .stateChanged(_, to: .failed)):
                    failed += 1
                    port.remove(gone)
                case .event, .decode, .payload, .makeKeyFrame: break
                case .wait: break poll
                }
            }
            if index % (count / 20) == 0 { try meter.endRound() }
        }
        let growth = try existing(meter.least)
        note(
            "\(count) handshakes, \(hellos) messages, \(sent) bytes for \(received), \(failed) failed, "
                + "\(port.count) left: \(growth) bytes of growth"
        )
        #expect(hellos == count && sent <= 3 * received, "\(sent) bytes for \(received)")
        #expect(failed > count - 400 && port.count <= 400)
        #expect(isSanitized || growth < 1_000_000, "\(growth) bytes")
    }
}
