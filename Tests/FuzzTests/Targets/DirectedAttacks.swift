import Foundation
import RillCore
import RillPeer
import RillPeerSupport
import RillRTP
import RillSecurity
import RillSession
import RillTestSupport

/// Attacks on a connection that end it, or need a long time or a certain order. Random steps do not get there.
enum DirectedAttack: String, CaseIterable {
    case silence, consent, close, noPath, noTime, noHandshake, early, noRole, replays, sharedAddress, falseAnswers
    case manyAddresses, malformedChecks, overflow, manySources, oldRequests, otherName, lateRepair, manyEvents

    func run(_ report: AttackReport) throws {
        report.watchdog.begin("directed \(rawValue)", 0, [])
        defer { report.watchdog.rest() }
        switch self {
        case .silence: try silence(report)
        case .consent: try consent(report)
        case .close: try close(report)
        case .noPath: try noPath(report)
        case .noTime: try noTime(report)
        case .noHandshake: try noHandshake(report)
        case .early: try early(report)
        case .noRole: try noRole(report)
        case .replays: try replays(report)
        case .sharedAddress: try sharedAddress(report)
        case .falseAnswers: try falseAnswers(report)
        case .manyAddresses: try manyAddresses(report)
        case .malformedChecks: try malformedChecks(report)
        case .overflow: try overflow(report)
        case .manySources: try manySources(report)
        case .oldRequests: try oldRequests(report)
        case .otherName: try otherName(report)
        case .lateRepair: try lateRepair(report)
        case .manyEvents: try manyEvents(report)
        }
    }

    private func connected(
        _ report: AttackReport, isOnPort: Bool = false, _ change: (inout PeerAttack.Options) -> Void = { _ in }
    ) throws -> PeerAttack {
        let attack = try unconnected(report, isOnPort: isOnPort, change)
        try attack.connect()
        return attack
    }

    private func unconnected(
        _ report: AttackReport, isOnPort: Bool = false, _ change: (inout PeerAttack.Options) -> Void = { _ in }
    ) throws -> PeerAttack {
        try PeerAttack(seed: 1, report) { options in
            (options.isOnPort, options.isLite) = (isOnPort, false)
            change(&options)
        }
    }

    /// The attacker sends no media for longer than a session waits, and then does.
    private func silence(_ report: AttackReport) throws {
        let attack = try connected(report)
        attack.send(packets: [[0x80, 201, 0, 1, 0, 0, 0, 9]])
        attack.attacker.sendsMedia = false
        attack.run(.seconds(40))
        attack.send(packets: [[0x80, 201, 0, 1, 0, 0, 0, 9]])
    }

    /// The attacker is gone, and comes back when its consent is.
    private func consent(_ report: AttackReport) throws {
        let attack = try connected(report)
        (attack.attacker.isSending, attack.attacker.isListening) = (false, false)
        attack.run(.seconds(70))
        let check = try existing(AttackCheck.message(16 << 8, of: attack.attacker.peer.agent, nil))
        attack.victim.take(check.span, on: ICEPath(PeerAttack.addresses.attacker), at: attack.network.now)
        attack.victim.noteCounters()
    }

    private func close(_ report: AttackReport) throws {
        for isOnPort in [false, true] {
            let attack = try connected(report, isOnPort: isOnPort)
            let late = try existing(attack.attacker.protect([0x80, 201, 0, 1, 0, 0, 0, 9]))
            attack.attacker.peer.close(at: attack.network.now)
            attack.run(.milliseconds(100))
            let path = ICEPath(PeerAttack.addresses.attacker)
            attack.victim.take(late.span, on: path, at: attack.network.now)
        }
    }

    private func noPath(_ report: AttackReport) throws {
        let attack = try unconnected(report) { $0.change = { $0.connectTimeout = .seconds(90) } }
        attack.network.isBlocked = { _, _ in true }
        attack.run(.seconds(80))
    }

    private func noTime(_ report: AttackReport) throws {
        let attack = try unconnected(report)
        attack.network.isBlocked = { _, _ in true }
        attack.run(.seconds(35))
    }

    /// ICE connects, DTLS does not: media, a warning, a datagram that is too large, and DTLS after the end.
    private func noHandshake(_ report: AttackReport) throws {
        let attack = try unconnected(report) { $0.change = { $0.dtls.handshakeTimeout = .seconds(5) } }
        attack.attacker.sendsDTLS = false
        attack.run(.seconds(2))
        let media: [UInt8] = [0x80, 96] + [UInt8](repeating: 1, count: 60)
        let warning: [UInt8] = [21, 254, 253, 0, 0, 0, 0, 0, 0, 0, 9, 0, 2, 1, 90]
        attack.send(packets: [], raw: [media, warning, [22] + [UInt8](repeating: 0, count: 17_000)])
        attack.run(.seconds(6))
        attack.send(packets: [], raw: [warning])
    }

    /// DTLS and media from an address that has not answered a check.
    private func early(_ report: AttackReport) throws {
        for isOnPort in [false, true] { try early(report, isOnPort: isOnPort) }
    }

    private func early(_ report: AttackReport, isOnPort: Bool) throws {
        let peer = PeerConnection(
            .controlled, certificate: PeerAttack.certificates.victim, settings: PeerConnectionSettings(seed: 5),
            using: SeededGenerator(seed: 5))
        try peer.addLocalCandidate(PeerAttack.addresses.victim)
        try peer.change { _ = try $0.addTransceiver(TransceiverSettings(.video)) }
        _ = try peer.offer(at: .zero)
        let victim = try AttackedPeer(peer, isOnPort: isOnPort, films: false, report)
        let credentials = peer.agent.credentials
        let check = [UInt8](capacity: 500) { output in
            let writer = STUNMessageWriter(.bindingRequest, STUNTransactionID(high: 1, low: 1), into: &output)
            writer.append(.username(Array("\(credentials.usernameFragment):them".utf8)), into: &output)
            writer.append(.priority(1), into: &output)
            writer.append(.iceControlling(1), into: &output)
            writer.finish(STUNIntegrityKey(password: Array(credentials.password.utf8)), .sha1, into: &output)
        }
        let path = ICEPath(PeerAttack.addresses.attacker)
        victim.take(check.span, on: path, at: .zero)
        victim.take([22, 254, 253, 0, 0].span, on: path, at: .zero)
        victim.take([0x80, 96, 0, 0].span, on: path, at: .zero)
        victim.noteCounters()
    }

    /// All sections end, and DTLS with them; then it goes on.
    private func noRole(_ report: AttackReport) throws {
        let attack = try connected(report)
        let (peer, now) = (attack.attacker.peer, attack.network.now)
        try peer.change { negotiator in
            for transceiver in negotiator.transceivers { try negotiator.stop(transceiver.id) }
        }
        let offer = try peer.offer(at: now).text
        let answer = try attack.victim.change { peer throws(PeerError) in try peer.answer(offer, at: now) }
        try peer.setRemote(.answer, answer.text, at: now)
        peer.dtls?.close(at: now)
        attack.run(.milliseconds(100))
        attack.send(packets: [[0x80, 201, 0, 1, 0, 0, 0, 9]], raw: [[22, 254, 253, 0, 0]])
        attack.victim.noteCounters()
    }

    /// Copies of a check from other addresses.
    private func replays(_ report: AttackReport) throws {
        for isOnPort in [false, true] {
            let attack = try connected(report, isOnPort: isOnPort)
            let check = try existing(AttackCheck.message(16 << 8, of: attack.attacker.peer.agent, nil))
            attack.send(packets: [], raw: [check])
            for number in 0..<5 as Range<UInt32> {
                let path = ICEPath(UDPAddress(.v4(0x0B00_0000 + number), port: 7))
                attack.victim.take(check.span, on: path, at: attack.network.now)
                attack.run(.milliseconds(10))
            }
            attack.victim.noteCounters()
        }
    }

    /// Two connections whose peers have one address.
    private func sharedAddress(_ report: AttackReport) throws {
        let attack = try connected(report, isOnPort: true)
        let (network, settings) = (attack.network, PeerConnectionSettings(seed: 6))
        let ghost = PeerConnection(
            .controlling, certificate: PeerAttack.certificates.attacker, settings: settings,
            using: SeededGenerator(seed: 6))
        try ghost.addLocalCandidate(PeerAttack.addresses.attacker)
        try ghost.change { _ = try $0.addTransceiver(TransceiverSettings(.video)) }
        let offer = try ghost.offer(at: network.now).text
        let other = PeerConnection(
            .controlled, certificate: PeerAttack.certificates.victim, settings: PeerConnectionSettings(seed: 7),
            using: SeededGenerator(seed: 7))
        try other.addLocalCandidate(PeerAttack.addresses.victim)
        let answer = try other.answer(offer, at: network.now)
        _ = try attack.victim.add(other)
        try ghost.setRemote(.answer, answer.text, at: network.now)
        // Both are behind one NAT. What is for the attacker gets lost.
        let inner = UDPAddress(.v4(0xC0A8_0001), port: 4000)
        network.add(PeerEnd(ghost), at: [inner])
        network.translations = [inner: PeerAttack.addresses.attacker]
        network.run(until: network.now + .seconds(5)) { ghost.state == .connected }
        guard ghost.state == .connected else { throw TestFailure("not connected: \(ghost.state)") }
        attack.send(
            packets: [[0x80, 201, 0, 1, 0, 0, 0, 9]], raw: [[22, 254, 253, 0, 0], [0x80, 96, 0, 0], [100]])
        attack.victim.noteCounters()
    }

    /// Answers that come late, from another address, or refuse.
    private func falseAnswers(_ report: AttackReport) throws {
        for isOnPort in [false, true] {
            let attack = try unconnected(report, isOnPort: isOnPort)
            attack.attacker.isListening = false
            attack.run(.milliseconds(700))
            attack.attacker.isListening = true
            try attack.connect()
            attack.attacker.isListening = false
            attack.run(.seconds(8))
            for socket in [1, 0] {
                let agent = attack.attacker.peer.agent
                let refusal = try existing(AttackCheck.refusal(of: attack.attacker.lastCheck, agent))
                attack.attacker.send(raw: refusal, socket: socket)
                attack.run(.milliseconds(10))
            }
        }
    }

    /// True checks from more addresses than are kept, on a socket that is none of the victim's, and beside as many
    /// candidates as there may be.
    private func manyAddresses(_ report: AttackReport) throws {
        for isOnPort in [false, true] {
            let attack = try connected(report, isOnPort: isOnPort)
            let agent = attack.attacker.peer.agent
            // From an address that has checked nothing.
            attack.victim.take([0x80, 96].span, on: ICEPath(PeerAttack.addresses.second), at: attack.network.now)
            for number in 0..<100 as Range<UInt32> {
                let check = try existing(AttackCheck.message(16 << 8 | number, of: agent, nil))
                let path = ICEPath(socket: number == 99 ? 9 : 0, UDPAddress(.v4(0x0B00_0000 + number), port: 7))
                attack.victim.take(check.span, on: path, at: attack.network.now)
                attack.run(.milliseconds(1))
            }
            attack.run(.seconds(10))
            attack.victim.noteCounters()
            let full = try connected(report, isOnPort: isOnPort)
            for number in Array(1...80) + [1] {
                let candidate = "candidate:\(number) 1 udp \(number) 12.0.0.\(number) 9 typ host"
                _ = try full.victim.change { (peer) throws(PeerError) in
                    try peer.addRemoteCandidate(candidate, at: full.network.now)
                }
            }
            let check = try existing(AttackCheck.message(16 << 8, of: full.attacker.peer.agent, nil))
            let path = ICEPath(UDPAddress(.v4(0x0B00_0000), port: 7))
            full.victim.take(check.span, on: path, at: full.network.now)
            full.victim.noteCounters()
            let narrow = try connected(report, isOnPort: isOnPort) {
                $0.change = { $0.ice.maximumReflexiveCount = 0 }
            }
            let refused = try existing(AttackCheck.message(16 << 8, of: narrow.attacker.peer.agent, nil))
            narrow.victim.take(refused.span, on: path, at: narrow.network.now)
        }
    }

    private func malformedChecks(_ report: AttackReport) throws {
        let attack = try connected(report)
        let agent = attack.attacker.peer.agent
        let check = try existing(AttackCheck.message(16 << 8, of: agent, nil))
        var longer = check + [0x80, 0x22, 0, 0]
        longer[3] += 4
        var truncated = check
        truncated[23] = 0xFF
        // PRIORITY of three bytes: it follows USERNAME.
        var short = check
        let priority = 20 + 4 + (Int(check[23]) + 3) / 4 * 4
        short[priority + 3] = 3
        attack.send(packets: [], raw: [longer, truncated, short])
    }

    /// Frames without their first packets, as many as a buffer does not hold.
    private func overflow(_ report: AttackReport) throws {
        let attack = try connected(report)
        let frames = try attack.change { script in
            script.streams[0].frame(isKey: true, packets: 2, at: attack.network.now)
        }
        attack.send(packets: frames.map(name(attack)))
        for _ in 0..<60 {
            var packets: [[UInt8]] = []
            try attack.change { script in
                for _ in 0..<12 {
                    let frame = script.streams[0].frame(isKey: false, packets: 3, at: attack.network.now)
                    packets += frame.dropFirst().map(name(attack))
                }
            }
            attack.send(packets: packets)
        }
        if let session = attack.victim.peer.session { report.note(session, streamLimit: 4) }
    }

    private func name(_ attack: PeerAttack) -> (EditableRTP) -> [UInt8] {
        { packet in
            var packet = packet
            attack.script?.streams[0].name(&packet)
            return packet.bytes
        }
    }

    /// Genuine packets of more sources than are remembered.
    private func manySources(_ report: AttackReport) throws {
        let attack = try connected(report)
        let key = try existing(attack.attacker.peer.dtls?.srtpKeys).sending
        let settings = UnprotectSettings()
        let count = UInt32(settings.maximumSourceCount + settings.maximumFormerSourceCount + 300)
        var protector = try AttackProtector(key)
        for number in 0..<count {
            // A protector finds its sources one after the other: a new one is quicker.
            if number % 256 == 255 { protector = try AttackProtector(key) }
            var packet: [UInt8] = [0x80, 201, 0, 1]
            packet.append(bigEndian: 0x100_0000 + number)
            let wire = try existing(protector.protect(packet))
            attack.victim.take(wire.span, on: ICEPath(PeerAttack.addresses.attacker), at: attack.network.now)
            if number % 64 == 0 { attack.run(.milliseconds(1)) }
        }
        if let statistics = attack.victim.peer.protection?.received { report.note(statistics) }
    }

    /// Requests for packets that were sent, and are not kept any more.
    private func oldRequests(_ report: AttackReport) throws {
        let attack = try connected(report)
        attack.run(.seconds(60))
        for (ssrc, newest) in attack.attacker.seen.numbers {
            for age in [600, 900, 1200] as [UInt16] {
                var nack: [UInt8] = [0x81, 205, 0, 3, 0, 0, 0, 9]
                nack.append(bigEndian: ssrc)
                nack.append(bigEndian: newest &- age)
                nack.append(bigEndian: 0xFFFF as UInt16)
                attack.send(packets: [nack])
            }
        }
        if let session = attack.victim.peer.session { report.note(session, streamLimit: 4) }
    }

    /// The stream comes under another of its names.
    private func otherName(_ report: AttackReport) throws {
        let attack = try connected(report) { options in
            options.changeOffer = { offer in
                offer.replacingOccurrences(
                    of: "a=simulcast:send high;low", with: "a=rid:mid send\r\na=simulcast:send high,mid;low")
            }
        }
        let id = try existing(attack.attacker.formats.first?.extensions[.rid])
        for rid in ["high", "mid"] {
            let packets = try attack.change { script in
                if rid == "mid" { script.streams[0].restart(using: &script.random) }
                return script.streams[0].frame(isKey: true, packets: 2, at: attack.network.now)
            }
            attack.send(
                packets: packets.map { packet in
                    var packet = packet
                    packet.set(id, Array(rid.utf8))
                    return packet.bytes
                })
            attack.run(.seconds(1))
        }
    }

    /// A lost packet comes when its frame's time is over, and others wait for it.
    private func lateRepair(_ report: AttackReport) throws {
        let attack = try connected(report)
        // Up to 78 ms later: how long it is waited for follows from the round trip. The attacked one refuses each ninth
        // frame, and then needs a key frame.
        for index in 0..<240 {
            var lost: EditableRTP?
            let packets = try attack.change { script in
                var packets = script.streams[0].frame(isKey: index % 6 == 0, packets: 3, at: attack.network.now)
                if index % 6 == 2 { lost = packets.remove(at: 1) }
                return packets
            }
            attack.send(packets: packets.map(name(attack)))
            if let lost {
                attack.run(.milliseconds(2 * (index / 6)))
                if let again = try attack.change({ $0.retransmission(of: lost, on: 0) }) {
                    attack.send(packets: [again.bytes])
                }
            }
            attack.run(.milliseconds(29))
        }
        if let session = attack.victim.peer.session { report.note(session, streamLimit: 4) }
    }

    /// Thousands of events in one batch of datagrams.
    private func manyEvents(_ report: AttackReport) throws {
        let attack = try connected(report)
        var estimates: [UInt8] = []
        for _ in 0..<60 { estimates += [0x8F, 206, 0, 4, 0, 0, 0, 9, 0, 0, 0, 0, 0x52, 0x45, 0x4D, 0x42, 0, 1, 0, 9] }
        attack.send(packets: Array(repeating: estimates, count: 64))
        if let session = attack.victim.peer.session { report.note(session, streamLimit: 4) }
    }
}
