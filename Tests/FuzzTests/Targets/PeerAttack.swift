import Foundation
import RillCore
import RillLink
import RillPacketSupport
import RillPeerSupport
import RillRTP
import RillSecurity
import RillSession
import RillTestSupport

@testable import RillPeer

/// A connection that sends and receives, attacked by the peer that it is connected to.
final class PeerAttack {
    let victim: AttackedPeer
    let attacker: AttackerEnd
    let network: VirtualNetwork
    private(set) var script: AttackScript?
    private let seed: UInt64

    static let addresses = (
        attacker: UDPAddress(.v4(0x0A00_0002), port: 4000), second: UDPAddress(.v4(0x0A00_0002), port: 4001),
        victim: UDPAddress(.v4(0xC000_0201), port: 5004)
    )
    static let profiles: [SRTPProfile] = [.aesCM128Tag80, .aeadAES128GCM, .aeadAES256GCM]
    static let certificates = (victim: certificate(), attacker: certificate())

    static func certificate() -> DTLSCertificate {
        do { return try DTLSCertificate(wallClock: 1_800_000_000) } catch { preconditionFailure("\(error)") }
    }

    /// What is negotiated, and where the attacked connection is. `isLite`: the attacker says that its agent is lite,
    /// which it is not.
    struct Options {
        var (isVP9, isByStream, isLite, isOnPort): (Bool, Bool, Bool, Bool)
        /// Changes the settings of both sides.
        var change: (inout PeerConnectionSettings) -> Void = { _ in }
        /// Changes the offer on its way.
        var changeOffer: (String) -> String = { $0 }

        init(seed: UInt64) {
            (isVP9, isByStream) = (seed / 3 % 4 == 3, seed / 12 % 2 == 1)
            (isLite, isOnPort) = (seed / 24 % 2 == 1, seed / 2 % 2 == 0)
        }
    }

    /// Connects the two.
    ///
    /// - Parameters:
    ///   - seed: the profile of SRTP, the options and the script follow from it.
    ///   - change: changes the options.
    ///   - report: where outcomes go.
    init(seed: UInt64, _ report: AttackReport, _ change: (inout Options) -> Void = { _ in }) throws {
        self.seed = seed
        var options = Options(seed: seed)
        change(&options)
        let (isVP9, isByStream) = (options.isVP9, options.isByStream)
        var settings = PeerConnectionSettings(seed: seed &* 2)
        settings.dtls.srtpProfiles = [PeerAttack.profiles[Int(seed % 3)]]
        settings.negotiation.videoCodecs = [isVP9 ? .vp9 : .vp8]
        settings.negotiation.feedback.insert(.pause)
        if isByStream {
            settings.negotiation.feedback.remove(.transportWideCongestionControl)
            settings.negotiation.feedback.insert(.congestionControlFeedback)
            settings.congestion?.feedback = .byStream
        }
        options.change(&settings)
        let made = PeerConnection(
            .controlled, certificate: PeerAttack.certificates.victim, settings: settings,
            using: SeededGenerator(seed: seed &* 77))
        try made.addLocalCandidate(PeerAttack.addresses.victim)
        settings.seed = seed &* 2 &+ 1
        let peer = PeerConnection(
            .controlling, certificate: PeerAttack.certificates.attacker, settings: settings,
            using: SeededGenerator(seed: seed &* 78))
        try peer.addLocalCandidate(PeerAttack.addresses.attacker)
        try PeerAttack.addTransceivers(peer, made)
        attacker = AttackerEnd(PeerEnd(peer))
        attacker.inner.isLogging = false
        victim = try AttackedPeer(made, isOnPort: options.isOnPort, films: !isVP9, report)
        network = VirtualNetwork(try LinkSettings(notation: "delay=1ms").seeded(seed))
        network.add(attacker, at: [PeerAttack.addresses.attacker, PeerAttack.addresses.second])
        network.add(victim, at: [PeerAttack.addresses.victim])
        let offer = try peer.offer(at: .zero).text
        let changed = options.changeOffer(options.isLite ? PeerAttack.lite(offer) : offer)
        let answer = try victim.change { peer throws(PeerError) in try peer.answer(changed, at: .zero) }
        try peer.setRemote(.answer, answer.text, at: .zero)
        report.require(made.agent.role == (options.isLite ? .controlling : .controlled), "a=ice-lite is not read")
    }

    private static func lite(_ offer: String) -> String {
        offer.replacingOccurrences(of: "\r\nt=0 0\r\n", with: "\r\nt=0 0\r\na=ice-lite\r\n")
    }

    private static func addTransceivers(_ attacker: PeerConnection, _ victim: PeerConnection) throws {
        var offered = TransceiverSettings(.video, .sendAndReceive)
        offered.sending = [SendingEncoding(rid: "high"), SendingEncoding(rid: "low")]
        offered.receivedRIDs = ["x", "y"]
        var answered = TransceiverSettings(.video, .sendAndReceive)
        answered.sending = [SendingEncoding(rid: "x"), SendingEncoding(rid: "y")]
        try attacker.change { _ = try $0.addTransceiver(offered) }
        try attacker.change { _ = try $0.addTransceiver(TransceiverSettings(.audio, .sendAndReceive)) }
        try victim.change { _ = try $0.addTransceiver(answered) }
    }

    /// Runs until both are connected, and the attacker has the keys.
    func connect() throws {
        network.run(until: network.now + .seconds(20)) {
            attacker.peer.state == .connected && victim.peer.state == .connected
        }
        guard attacker.peer.state == .connected else { throw TestFailure("not connected: \(attacker.peer.state)") }
        try attacker.arm()
        script = AttackScript(
            attacker.formats, audioType: attacker.audioType, reporter: UInt32(truncatingIfNeeded: seed) | 0x5000_0000,
            hasTransport: true, seed: seed)
        run(.milliseconds(300))
    }

    /// Lets the script's state be changed by a directed attack.
    func change<Value>(_ body: (inout AttackScript) -> Value) throws -> Value {
        guard var script else { throw TestFailure("not connected") }
        defer { self.script = script }
        return body(&script)
    }

    /// Sends packets, and lets them arrive.
    func send(packets: [[UInt8]], raw: [[UInt8]] = []) {
        var random = AttackRandom(seed: 1)
        for bytes in packets { _ = attacker.send(.packet(bytes), using: &random, at: network.now) }
        for bytes in raw { attacker.send(raw: bytes, socket: 0) }
        run(.milliseconds(4))
    }

    var isOver: Bool { victim.peer.state == .closed || victim.peer.state == .failed }

    func run(_ duration: MediaDuration) { network.run(until: network.now + duration) }

    /// One step of the script.
    ///
    /// - Returns: how many inputs it had.
    func step(_ number: Int, _ run: String, _ report: AttackReport) -> Int {
        guard var script else { return 0 }
        let step = script.next(attacker.seen, at: network.now)
        let count = send(step.inputs, number, run, report, &script.random)
        self.script = script
        self.run(.milliseconds(1) + step.rest)
        report.watchdog.rest()
        return count
    }

    func send(
        _ inputs: [AttackInput], _ number: Int, _ run: String, _ report: AttackReport, _ random: inout AttackRandom
    ) -> Int {
        report.watchdog.begin(run, number, inputs.map(\.bytes))
        var count = 0
        for input in inputs where attacker.send(input, using: &random, at: network.now) {
            count += 1
            if case .packet(let bytes) = input { report.note(rtcp: bytes) }
        }
        return count
    }
}

/// A connection that is watched: each insertion's result is counted, and each poll sequence bounded.
final class AttackedPeer: NetworkEnd {
    let peer: PeerConnection
    private let port: PeerPort?
    private let id: ICEPeerID?
    private let report: AttackReport
    private let films: Bool
    private var nextFrameTime = MediaTime.zero
    private var frameCount: Int64 = 0
    private var keyFramesWanted: Set<SendingStreamID> = []
    private var bytes: [UInt8] = []
    private var decodedCount = 0
    private var meter = AmplificationMeter()

    init(_ peer: PeerConnection, isOnPort: Bool, films: Bool, _ report: AttackReport) throws {
        (self.peer, self.films, self.report) = (peer, films, report)
        let port = isOnPort ? PeerPort(peerLimit: 4) : nil
        id = try port?.add(peer)
        self.port = port
    }

    /// Adds another connection beside it.
    func add(_ peer: PeerConnection) throws -> ICEPeerID { try existing(port).add(peer) }

    func change<Value>(_ other: ICEPeerID, _ body: (PeerConnection) throws(PeerError) -> Value) throws -> Value {
        try existing(try existing(port).change(other, body))
    }

    /// Notes what was counted of datagrams.
    func noteCounters() {
        if let port {
            report.book.noteCounters(of: port.statistics, "ICEPortStatistics")
        } else {
            report.book.noteCounters(of: peer.agent.counts, "ICEPortStatistics.agents")
        }
        report.book.noteCounters(of: peer.counts, "PeerTransportCounts")
    }

    func change<Value>(_ body: (PeerConnection) throws(PeerError) -> Value) throws(PeerError) -> Value {
        guard let port, let id else { return try body(peer) }
        guard let value = try port.change(id, body) else { throw .closed }
        return value
    }

    func take(_ datagram: Span<UInt8>, on path: ICEPath, at now: MediaTime) {
        var bytes = datagram.array
        var span = bytes.mutableSpan
        meter.noteReceived(datagram.count, from: path.remote)
        if let port {
            report.note(port.insert(&span, on: path, at: now))
        } else {
            report.note(peer.insert(&span, on: path, at: now))
        }
    }

    func advance(to now: MediaTime, transmit: (ICEPath, [UInt8]) -> Void) -> MediaTime {
        film(at: now)
        var count = AttackReport.PollCount()
        while true {
            report.note(bytes.count, in: &count)
            switch poll(at: now) {
            case .transmit(on: let path):
                if let fault = meter.noteSent(bytes.count, to: path.remote) { report.watchdog.fail(fault) }
                transmit(path, bytes)
            case .decode(of: let stream): finish(stream, at: now)
            case .payload: break
            case .makeKeyFrame(of: let stream): keyFramesWanted.insert(stream)
            case .event(let event): report.note(event)
            case .wait(until: let time):
                report.require(time > now, "it waits until \(time), and it is \(now)")
                return films ? min(time, nextFrameTime) : time
            }
        }
    }

    private func poll(at now: MediaTime) -> PeerAction {
        guard let port else { return peer.poll(at: now, into: &bytes) }
        return switch port.poll(at: now, into: &bytes) {
        case .transmit(on: let path): .transmit(on: path)
        case .decode(_, let stream): .decode(of: stream)
        case .payload(_, let stream, let payload): .payload(of: stream, payload)
        case .makeKeyFrame(_, let stream): .makeKeyFrame(of: stream)
        case .event(_, let event): .event(event)
        case .wait(until: let time): .wait(until: time)
        }
    }

    private func finish(_ stream: ReceivingStreamID, at now: MediaTime) {
        guard let session = peer.session else { report.watchdog.fail("a frame without a session") }
        let frame = session.releasedFrame
        report.require(frame.frame.byteCount == bytes.count, "\(frame.frame.byteCount) bytes, of \(bytes.count)")
        decodedCount += 1
        let outcome: DecodeOutcome = decodedCount % 9 == 8 ? .refused : decodedCount % 31 == 30 ? .skipped : .decoded
        session.finish(frame, of: stream, outcome, picture: frame.frame.resolution, decoded: now, at: now)
    }

    private func film(at now: MediaTime) {
        guard films, now >= nextFrameTime else { return }
        nextFrameTime = now + .milliseconds(50)
        for stream in peer.sendingStreams where stream.isActive {
            guard peer.session?.allowance(at: now)?.obstacle == nil else { continue }
            let isKey = frameCount == 0 || keyFramesWanted.contains(stream.id)
            let (frame, payload) = SyntheticFrame.make(frameCount, isKey: isKey, .vga, at: now, byteCount: 1500)
            if peer.send(frame, payload: payload.span, of: stream.id, at: now) != nil {
                keyFramesWanted.remove(stream.id)
            }
        }
        if peer.state == .connected { frameCount += 1 }
    }
}
