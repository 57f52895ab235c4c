import RillCodec
import RillCore
import RillPacketSupport
import RillRTP
import RillSecurity
import RillSend
import RillSession
import RillTestSupport
import RillThreads
import RillTransport

@testable import Rill

/// A participant of a `VideoCall` in virtual time, attacked by the one who has their key. What the call's threads do is
/// done here: the network's thread gives batches to `CallLine`, the decoding thread serves the participant and decodes
/// with libvpx.
final class CallAttack {
    let participant: CallParticipant
    private let line: CallLine
    private let transport = KeptDatagrams()
    private let time: LiveClock.VirtualTime
    private let report: AttackReport
    private let events = Monitor<[CallEvent]>([])
    private let key: SRTPKey?
    private var members: [CallLine.Member]
    private var opened: [CallLine.Opened] = []
    private var incoming = IncomingDatagrams(capacity: 64)
    private var protector: AttackProtector?
    private var theirs: SRTPUnprotector?
    private var script: AttackScript
    private var seen = SeenSources()
    private var bytes: [UInt8] = []
    private var wakeTime = MediaTime.zero
    private var nextFrameTime = MediaTime.zero
    private var frameCount: Int64 = 0

    /// It never serves anybody: nobody is added to it.
    private static let poller = Result { try CallPoller("rill-attacked", clock: LiveClock(), affinity: .any) }
    static let addresses = (
        peer: UDPAddress(.v4(0x0A00_0002), port: 4000), moved: UDPAddress(.v4(0x0A00_0003), port: 4001)
    )

    /// - Parameters:
    ///   - seed: the profile of SRTP (or none), codec and feedback, and the script follow from it.
    ///   - coded: true frames of VP8, the first one a key frame.
    ///   - hasWrongKey: whether the attacker has another key than the call.
    ///   - isPaced: whether the call has congestion control.
    ///   - report: where outcomes go.
    init(
        seed: UInt64, _ coded: [[UInt8]], hasWrongKey: Bool = false, isPaced: Bool = true, _ report: AttackReport
    ) throws {
        self.report = report
        time = LiveClock.VirtualTime()
        time.now = .zero + .seconds(1)
        let clock = LiveClock(time)
        let profile = SRTPProfile.allCases[Int(seed % 4)]
        let isPlain = seed % 9 == 8
        // Some keys have identifiers, as a change of keys needs them.
        let identifier = seed % 5 == 4 ? MasterKeyIdentifier(7, byteCount: 4) : nil
        key = isPlain ? nil : SRTPKey.generate(profile, identifier: identifier)
        var settings = VideoCallSettings()
        settings.send.congestion = isPaced ? CongestionSettings() : nil
        settings.send.congestion?.feedback = seed / 4 % 2 == 1 ? .byStream : .transportWide
        settings.send.fec = FECSettings(
            percentage: .percent(20), payloadType: PayloadType(125), redPayloadType: PayloadType(124))
        settings.send.addTransportNumbers()
        var them = ParticipantSettings("them", at: seed % 3 == 2 ? nil : CallAttack.addresses.peer, key: key)
        them.usesReducedSizeRTCP = seed % 2 == 0
        line = CallLine(transport, datagramByteCount: 1500, clock: clock, affinity: .any) { _ in }
        let events = events
        participant = try CallParticipant(
            them, id: 0, over: line, CallAttack.poller.get(), settings, settings.send.layers, clock: clock
        ) { event in
            events.withLock { $0.append(event) }
        } forget: { _ in
        } noteWants: {
        }
        members = [CallLine.Member(participant: participant, address: them.address)]
        if let key {
            protector = try AttackProtector(hasWrongKey ? .generate(profile, identifier: identifier) : key)
            theirs = try SRTPUnprotector(key)
        }
        let formats = participant.streams.map(AttackedFormat.init)
        script = AttackScript(formats, audioType: nil, reporter: 0x5000_0001, hasTransport: false, seed: seed)
        if seed % 2 == 0 { for index in script.streams.indices { script.streams[index].codedFrames = coded } }
        if seed % 11 == 10 {
            try participant.show(on: FrameTap { _ in throw TestFailure("the sink is full") })
        } else if seed % 7 == 6 {
            try participant.show(.high, on: FrameTap { _ in })
        } else {
            try participant.show(on: FrameTap { _ in })
        }
    }

    private var now: MediaTime { time.now }

    func step(_ number: Int, _ run: String) -> Int {
        let step = script.next(seen, at: now)
        report.watchdog.begin(run, number, step.inputs.map(\.bytes))
        var count = 0
        for input in step.inputs where send(input) { count += 1 }
        deliver()
        if script.random.isOne(in: 150) { want() }
        advance(by: .milliseconds(1) + step.rest)
        report.watchdog.rest()
        return count
    }

    /// The app changes what it wants.
    private func want() {
        switch script.random.below(4) {
        case 0: try? participant.want(.low)
        case 1: try? participant.want(.none)
        case 2: try? participant.want(.automatic(shownAt: Resolution(width: 160, height: 120)))
        default: try? participant.want(.high)
        }
    }

    // MARK: In

    private func send(_ input: AttackInput) -> Bool {
        var wire: [UInt8]?
        switch input {
        case .packet(let bytes):
            report.note(rtcp: bytes)
            wire = protector == nil ? bytes : protector?.protect(bytes)
        case .damaged(let bytes):
            wire = protector == nil ? bytes : protector?.protect(bytes)
            if var damaged = wire {
                script.random.damage(&damaged)
                wire = damaged
            }
        case .raw(let bytes): wire = bytes
        case .data, .check: return false
        }
        guard let wire, wire.count <= 2048 else { return false }
        // Also from another address, which the call follows once the former one is silent.
        let source = script.random.isOne(in: 50) ? CallAttack.addresses.moved : CallAttack.addresses.peer
        if !incoming.append(copying: wire.span, from: source) {
            deliver()
            return incoming.append(copying: wire.span, from: source)
        }
        return true
    }

    private func deliver() {
        guard incoming.count > 0 else { return }
        line.take(&incoming, &opened, &members, at: now)
        incoming.removeAll()
        wakeTime = now
        serve()
    }

    // MARK: Time

    private func advance(by duration: MediaDuration) {
        let end = now + duration
        while true {
            let next = min(wakeTime, nextFrameTime)
            guard next <= end else { break }
            time.now = max(now, next)
            if nextFrameTime <= now { film() }
            serve()
        }
        time.now = end
    }

    /// Serves until nothing is due, at most so often.
    private func serve() {
        var count = AttackReport.PollCount()
        while true {
            report.note(transport.byteCount, in: &count)
            guard let next = participant.serve(at: now, into: &bytes) else { return wakeTime = .distantFuture }
            note()
            if next > now { return wakeTime = next }
        }
    }

    private func note() {
        for datagram in transport.take() { learn(datagram) }
        let new = events.withLock { events in
            defer { events = [] }
            return events
        }
        report.require(new.count < 100, "\(new.count) events at once")
        for event in new {
            report.book.note(CallEventOutcome(event))
            if case .left(_, let reason?) = event { report.require(!reason.hasPrefix("internal error"), reason) }
        }
    }

    /// The participant reports, then rests for longer than is sent without reports, and reports again.
    func rest() {
        report.watchdog.begin("directed call", 0, [])
        for _ in 0..<2 {
            _ = send(.packet([0x80, 201, 0, 1, 0, 0, 0, 9]))
            deliver()
            advance(by: .seconds(25))
        }
        finish()
        report.watchdog.rest()
    }

    private func learn(_ datagram: [UInt8]) {
        var bytes = datagram
        var span = bytes.mutableSpan
        var kind = PacketKind(of: datagram.span)
        if let outcome = theirs?.unprotect(&span) {
            guard case .unprotected(let opened, let count) = outcome else { return }
            kind = opened
            bytes.removeLast(bytes.count - count)
        }
        let id = participant.sendSettings.headerExtensions[.transportSequenceNumber]
        seen.learn(bytes, isMedia: kind == .rtp, transportNumberID: id)
    }

    private func film() {
        nextFrameTime = now + .milliseconds(66)
        let (frame, payload) = SyntheticFrame.make(
            frameCount, isKey: frameCount % 30 == 0, .vga, at: now, byteCount: 1500)
        frameCount += 1
        _ = participant.send(frame, payload.span, of: 0, at: now)
        note()
    }

    func finish() {
        participant.session.look { report.note($0, streamLimit: 4) }
        if let statistics = participant.statistics.unprotected { report.note(statistics) }
        participant.leave(reason: "over")
        serve()
    }
}

/// A transport whose datagrams are kept.
private final class KeptDatagrams: DatagramTransport {
    private let sent = Monitor<[[UInt8]]>([])

    var localAddress: UDPAddress { UDPAddress(.loopback, port: 1) }
    var statistics: TransportStatistics { TransportStatistics() }
    var byteCount: Int { sent.withLock { $0.reduce(0) { $0 + $1.count } } }

    func send(_ datagrams: inout OutgoingDatagrams) -> SendOutcome {
        sent.withLock { sent in
            for index in 0..<datagrams.count { sent.append(datagrams.bytes(at: index).array) }
        }
        datagrams.removeAll()
        return .sent
    }

    func take() -> [[UInt8]] {
        sent.withLock { sent in
            defer { sent = [] }
            return sent
        }
    }

    func receive(
        into datagrams: inout IncomingDatagrams, within timeout: MediaDuration
    ) throws(TransportError) -> ReceiveOutcome { .closed }
    func close() {}
}
