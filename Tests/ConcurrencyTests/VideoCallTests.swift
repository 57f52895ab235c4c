import Foundation
import RillCore
import RillMediaSupport
import RillSecurity
import RillTestSupport
import RillTransport
import Testing

@testable import Rill

/// Two ends of a call in one process, each with its own socket, keys and threads.
@Suite struct VideoCallTests {
    @Test func `Both layers are sent both ways with a key, and losses are repaired`() async throws {
        let key = SRTPKey.generate()
        let (one, two) = try (CallEnd("one", key, loss: 0.05, seed: 1), CallEnd("two", key, loss: 0.05, seed: 2))
        try one.meet(two)
        try two.meet(one)
        let isShown = try await eventually { one.isShowingBoth(pictures: 60) && two.isShowingBoth(pictures: 60) }
        #expect(isShown, "\(one.call.statistics)\n\(two.call.statistics)")
        #expect(one.transport.lost > 0 && two.transport.lost > 0, "the test shows nothing")
        one.call.setMuted(true)
        let areMuted = try await eventually {
            two.log.contains("one's high layer is muted") && two.log.contains("one's low layer is muted")
        }
        // What was on its way is shown first.
        let shown = try await two.countOnceQuiet()
        let freezes = two.freezeCount
        try await Task.sleep(for: .milliseconds(1500))
        #expect(areMuted && two.sinks[0].count == shown && two.freezeCount == freezes, "\(two.log.lines)")
        one.call.setMuted(false)
        let isBack = try await eventually {
            two.log.contains("one's high layer is unmuted") && two.log.contains("one's low layer is unmuted")
                && two.sinks[0].count > shown + 30
        }
        #expect(isBack, "\(two.log.lines)")
        await one.call.end(reason: "good night")
        let isTold = try await eventually { two.log.contains("one left: good night") }
        #expect(isTold, "\(two.log.lines)")
        await two.call.end()
        for end in [one, two] {
            let them = try #require(end.call.statistics.participants.first)
            #expect(them.unprotected?.refused == 0 && (them.unprotected?.rtpPackets ?? 0) > 100, "\(them)")
            #expect(end.sinks.allSatisfy { $0.isFinished })
            let lines = await end.allLines()
            #expect(lines.first == "\(end.other) joined" && lines.last == "the call is over", "\(lines)")
        }
    }

    @Test func `An error of ours ends one participant's session by name, and no thread`() async throws {
        let key = SRTPKey.generate()
        let (one, two) = try (CallEnd("one", key), CallEnd("two", key))
        try one.meet(two)
        try two.meet(one)
        #expect(try await eventually { one.isShowingBoth(pictures: 10) && two.isShowingBoth(pictures: 10) })
        let participant = try #require(one.participant)
        participant.session.look { $0.stall() }
        let reason = "internal error: \(PollBound.limit) polls without progress"
        #expect(
            try await eventually { one.log.contains("two left: \(reason)") && two.log.contains("one left: \(reason)") })
        await one.call.end()
        await two.call.end()
        #expect(one.sinks.allSatisfy { $0.isFinished })
    }

    @Test func `With another key nothing is shown, and both learn why`() async throws {
        let (one, two) = try (CallEnd("one", .generate()), CallEnd("two", .generate()))
        try one.meet(two)
        try two.meet(one)
        let isTold = try await eventually {
            [one, two].allSatisfy { end in
                end.log.lines.contains { $0.hasSuffix("(authenticationFailed): the keys differ") }
            }
        }
        #expect(isTold, "\(one.log.lines)")
        for end in [one, two] {
            await end.call.end()
            let them = try #require(end.call.statistics.participants.first)
            #expect(end.sinks.allSatisfy { $0.count == 0 && $0.isFinished } && !end.log.contains("\(end.other) joined"))
            #expect(them.unprotected?.rtpPackets == 0 && (them.unprotected?.authenticationFailed ?? 0) >= 20)
            #expect(them.session.transport.packetsReceived == 0, "what cannot be opened reaches no session")
        }
    }

    @Test func `Keys change fifty times under loss, and no frame is lost by it`() async throws {
        func key(_ number: UInt64) -> SRTPKey {
            .generate(.aeadAES128GCM, identifier: MasterKeyIdentifier(number, byteCount: 2))
        }
        var keys = (current: key(0), next: key(1))
        let (one, two) = try (
            CallEnd("one", keys.current, loss: 0.05, seed: 3), CallEnd("two", keys.current, loss: 0.05, seed: 4)
        )
        try one.meet(two)
        try two.meet(one)
        #expect(try await eventually { one.sinks[0].count > 10 && two.sinks[0].count > 10 })
        let (them, us) = try (#require(two.participant), #require(one.participant))
        // What was on its way before the first picture could be shown belongs to no change.
        let before = try #require(them.statistics.shown.first).received.stream.drops.total
        for number in 1...50 {
            try them.addReceivingKey(keys.next)
            try us.changeSendingKey(to: keys.next)
            try await Task.sleep(for: .milliseconds(60))
            // What was sent with the one before comes, or is lost, before that key goes.
            let sent = Int(us.statistics.session.transport.packetsSent) - one.transport.lost
            #expect(try await eventually { Int(them.statistics.session.transport.packetsReceived) >= sent })
            if let old = keys.current.identifier, number > 1 { #expect(them.removeReceivingKey(old)) }
            keys = (keys.next, key(UInt64(number) + 1))
        }
        let count = two.sinks[0].count
        #expect(try await eventually { two.sinks[0].count > count + 30 })
        await one.call.end()
        await two.call.end()
        let seen = try #require(two.call.statistics.participants.first)
        let high = try #require(seen.shown.first)
        #expect(seen.unprotected?.unknownKey == 0 && seen.unprotected?.authenticationFailed == 0, "\(seen)")
        // No freeze is counted: a busy machine has some, and those of a key have packets that are refused, or drops.
        #expect(high.received.stream.drops.total == before, "\(high)")
        #expect(seen.unprotected?.rolloverSearches == 0 && one.transport.lost > 0)
        #expect(one.call.statistics.participants[0].protected?.keyChanges == 50)
    }

    @Test func `A peer that moves to another port is followed, others are not`() async throws {
        let key = SRTPKey.generate()
        let (one, two) = try (CallEnd("one", key), CallEnd("two", key))
        try one.meet(two)
        try two.meet(one)
        #expect(try await eventually { one.sinks[0].count > 10 && two.sinks[0].count > 10 })
        // A stranger sends what is not genuine: of a source that is known, and of none.
        let unknownPeer = try UDPSocket(boundTo: UDPAddress(.loopback, port: 0))
        let source = try #require(one.participant?.statistics.session.receiving.first?.ssrc.rawValue)
        for ssrc in [source, 7] {
            var packet = [UInt8](repeating: 1, count: 200)
            (packet[0], packet[1]) = (0x80, 96)
            for byte in 0..<4 { packet[8 + byte] = UInt8(truncatingIfNeeded: ssrc >> (24 - 8 * UInt32(byte))) }
            try unknownPeer.send(packet.span, to: one.transport.localAddress)
        }
        let old = two.transport.localAddress
        try two.transport.move()
        let new = two.transport.localAddress
        let count = (one.sinks[0].count, two.sinks[0].count)
        let isBack = try await eventually { one.sinks[0].count > count.0 + 30 && two.sinks[0].count > count.1 + 30 }
        #expect(isBack, "\(one.log.lines)")
        // As texts, made outside of `#expect`: Swift 6.3.1, not optimising, reads an address that a closure has
        // captured (its UInt128) as if it were aligned to 16 bytes, which it is not.
        let (told, expected) = ("two moved from \(old) to \(new)", "\(new)")
        #expect(one.participant?.address?.description == expected)
        await one.call.end()
        await two.call.end()
        let lines = await (one.allLines(), two.allLines())
        #expect(lines.0.filter { $0.contains("moved") } == [told])
        #expect(!lines.1.contains { $0.contains("moved") })
    }

    @Test(arguments: [false, true])
    func `Packets reveal the peer's address if it is unknown or wrong`(isSaid: Bool) async throws {
        let key = SRTPKey.generate()
        let (one, two) = try (CallEnd("one", key), CallEnd("two", key))
        // As behind a router, which gives them another address than they know.
        let nobody = try UDPSocket(boundTo: UDPAddress(.loopback, port: 0))
        try one.meet(two, at: isSaid ? nobody.localAddress : nil)
        try two.meet(one)
        #expect(try await eventually { one.sinks[0].count > 10 && two.sinks[0].count > 10 }, "\(one.log.lines)")
        let told =
            (isSaid ? "two moved from \(nobody.localAddress) to" : "two is at") + " \(two.transport.localAddress)"
        await one.call.end()
        await two.call.end()
        let moves = await one.allLines().filter { $0.hasPrefix("two moved") || $0.hasPrefix("two is at") }
        #expect(moves == [told])
    }

    @Test func `Datagrams already in the socket belong to a new participant`() async throws {
        let key = SRTPKey.generate()
        let (one, two) = try (CallEnd("one", key), CallEnd("two", key))
        // It is sent to for a while before it knows of anybody.
        try two.meet(one)
        try await Task.sleep(for: .milliseconds(700))
        try one.meet(two)
        let waiting = Int(two.call.statistics.participants[0].session.transport.packetsSent)
        #expect(try await eventually { one.sinks[0].count > 10 })
        await one.call.end()
        let statistics = try #require(one.call.statistics.participants.first)
        let opened = (statistics.unprotected?.rtpPackets ?? 0) + (statistics.unprotected?.rtcpPackets ?? 0)
        #expect(waiting > 20 && opened > waiting, "\(opened) of \(waiting)")
        let first = try #require(statistics.session.receiving.first?.stream)
        #expect(first.packetsLost == 0 && first.framesReceived > 20, "\(first)")
        await two.call.end()
    }

    @Test func `Nothing is sent unencrypted if there are keys`() async throws {
        let end = try CallEnd("one", nil)
        var half = ParticipantSettings("two", at: end.transport.localAddress, key: .generate())
        half.sendingKey = nil
        #expect(throws: CallError.halfProtected(sending: false, receiving: true)) {
            try end.call.add(half, over: end.transport)
        }
        let clear = try end.call.connect(to: UDPAddress(.loopback, port: 9), over: end.transport, key: nil)
        #expect(throws: CallError.notProtected) { try clear.changeSendingKey(to: .generate()) }
        #expect(throws: CallError.notProtected) { try clear.addReceivingKey(.generate()) }
        let text =
            "v=0\r\no=- 1 1 IN IP4 127.0.0.1\r\ns=-\r\nt=0 0\r\nm=video 9 RTP/SAVPF 96\r\nc=IN IP4 127.0.0.1\r\na=rtpmap:96 VP8/90000\r\n"
        let description = try SessionDescription(parsing: Array(text.utf8).span)
        #expect(throws: CallError.noKeyDescribed) {
            try ParticipantSettings(described: description, sending: .generate())
        }
        await end.call.end()
    }

    @Test func `Three call each other, and each encodes once`() async throws {
        let ends = try (1...3).map { try CallEnd("end \($0)", .generate(), loss: 0.02, seed: UInt64($0)) }
        // A key for each pair.
        for (left, right) in [(0, 1), (0, 2), (1, 2)] {
            let key = SRTPKey.generate()
            try ends[left].meet(ends[right], key)
            try ends[right].meet(ends[left], key)
        }
        let isShown = try await eventually { ends.allSatisfy { $0.sinks[0].count > 90 && $0.sinks[1].count > 15 } }
        #expect(isShown, "\(ends.map(\.call.statistics))")
        for end in ends { await end.call.end(reason: "over") }
        for end in ends {
            let statistics = end.call.statistics
            #expect(statistics.participants.count == 2 && statistics.transports.count == 1)
            let sources = statistics.participants.flatMap { $0.session.sending.map(\.ssrc) }
            #expect(Set(sources).count == 4, "no source is sent to two of them")
            for them in statistics.participants {
                let high = try #require(them.session.sending.first)
                #expect(high.stream.framesSent <= statistics.layers[0].encoder.framesEncoded)
            }
        }
    }

    /// In a process of its own: what others do beside it says nothing.
    @Test func `Ended calls leave nothing behind`() async {
        await #expect(processExitsWith: .success) {
            let count = isLongRun ? 1000 : 40
            var (before, growth, memory) = (ProcessLoad(), Int.max, 0)
            for number in 0..<count {
                let (one, two) = try (CallEnd("one", .generate(), frames: 3), CallEnd("two", .generate(), frames: 3))
                let key = SRTPKey.generate()
                try one.meet(two, key)
                try two.meet(one, key)
                // The others are let go.
                if number % 2 == 0 {
                    await one.call.end()
                    await two.call.end()
                }
                // A call takes megabytes while it lasts, and malloc keeps those of many at once: what leaks grows in
                // each quarter.
                guard (number + 1) % (count / 4) == 0 else { continue }
                let load = try await ProcessLoad.steady()
                if before.threads == 0 { before = load } else { growth = min(growth, load.memory - memory) }
                memory = load.memory
            }
            // What is left of calls stays; what a busy machine has not ended yet goes.
            var after = try await ProcessLoad.steady()
            let deadline = ContinuousClock.now + .seconds(60)
            while !after.isWithin(before), ContinuousClock.now < deadline { after = try await ProcessLoad.steady() }
            #expect(after.isWithin(before), "\(before), \(after)")
            #expect(growth < 10 << 20 || isSanitized, "\(growth) bytes")
        }
    }
}

/// One end: its call, what it sees, what it is told.
final class CallEnd: Sendable {
    let name: String
    let call: VideoCall
    let transport: LossyTransport
    let key: SRTPKey?
    let log = EventLog()
    let sinks = [CountingSink(), CountingSink()]
    private let met = Monitor<CallParticipant?>(nil)
    private let ending = Monitor<CallStatistics.Participant?>(nil)
    private let listener = Monitor<Task<Void, Never>?>(nil)

    init(
        _ name: String, _ key: SRTPKey?, loss: Double = 0, seed: UInt64 = 1, frames: Int = 30 * 120,
        layers: [LayerSettings] = CallEnd.layers, encryption: FrameEncryption? = nil
    ) throws {
        (self.name, self.key) = (name, key)
        transport = LossyTransport(try UDPSocket(boundTo: UDPAddress(.loopback, port: 0)), loss: loss, seed: seed)
        var settings = VideoCallSettings(layers: layers)
        settings.statisticsInterval = .milliseconds(200)
        settings.encryption = encryption
        let source = try LoopedPictures(Resolution(width: 320, height: 240), frameCount: frames)
        call = try VideoCall(settings, source: source)
        let task = Task { [log, ending, events = call.events] in
            for await event in events {
                if case .statistics(let statistics) = event {
                    if let them = statistics.participants.first { ending.withLock { $0 = them } }
                } else {
                    log.append("\(event)")
                }
            }
        }
        listener.withLock { $0 = task }
    }

    static let layers: [LayerSettings] = [.high(Resolution(width: 320, height: 240), bitrate: .kilobits(300)), .low]

    var other: String { met.withLock { $0 }?.name ?? "" }
    var participant: CallParticipant? { met.withLock { $0 } }
    /// What was known of the other one last.
    var last: CallStatistics.Participant? { ending.withLock { $0 } }

    func meet(_ end: CallEnd, _ own: SRTPKey? = nil) throws {
        try meet(end, at: end.transport.localAddress, own)
    }

    func meet(_ end: CallEnd, at address: UDPAddress?, _ own: SRTPKey? = nil) throws {
        let settings = ParticipantSettings(end.name, at: address, key: own ?? key)
        let them = try call.add(settings, over: transport) { them in
            try them.show(.high, on: sinks[0])
            try them.show(.low, on: sinks[1])
        }
        met.withLock { $0 = them }
    }

    /// All that was told, once the call has ended: its listener may be behind.
    func allLines() async -> [String] {
        await listener.withLock { $0 }?.value
        return log.lines
    }

    /// How many pictures the first sink has, once none has come for a second; or after twenty.
    func countOnceQuiet() async throws -> Int {
        var (count, quiet) = (sinks[0].count, 0)
        for _ in 0..<400 where quiet < 20 {
            try await Task.sleep(for: .milliseconds(50))
            quiet = sinks[0].count == count ? quiet + 1 : 0
            count = sinks[0].count
        }
        return count
    }

    var freezeCount: Int { participant?.statistics.shown.map(\.received.freezes.freezeCount).reduce(0, +) ?? 0 }

    func isShowingBoth(pictures: Int) -> Bool { sinks[0].count >= pictures && sinks[1].count >= pictures / 6 }
}

/// Counts pictures.
final class CountingSink: FrameSink, Sendable {
    private let state = Monitor((count: 0, isFinished: false, size: Resolution?.none))
    var count: Int { state.withLock { $0.count } }
    var isFinished: Bool { state.withLock { $0.isFinished } }
    var size: Resolution? { state.withLock { $0.size } }
    func consume(_ frame: VideoFrame) {
        state.withLock { state in
            state.count += 1
            state.size = frame.resolution
        }
    }
    func finish() { state.withLock { $0.isFinished = true } }
}

/// The lines of what was told.
final class EventLog: Sendable {
    private let state = Monitor<[String]>([])
    var lines: [String] { state.withLock { $0 } }
    func append(_ line: String) { state.withLock { $0.append(line) } }
    func contains(_ line: String) -> Bool { lines.contains(line) }
}

extension ProcessLoad {
    /// This process's, when nothing ends any more.
    static func steady() async throws -> ProcessLoad {
        var (last, quiet) = (ProcessLoad(), 0)
        while quiet < 10 {
            try await Task.sleep(for: .milliseconds(50))
            let load = try ProcessLoad(of: nil)
            quiet = load.threads == last.threads && load.descriptors == last.descriptors ? quiet + 1 : 0
            last = load
        }
        return last
    }
}

/// Waits until a condition is true, for at most a minute; returns whether it is.
func eventually(_ isTrue: () -> Bool) async throws -> Bool {
    let clock = LiveClock()
    while clock.now < MediaTime.zero + .seconds(60) {
        if isTrue() { return true }
        try await Task.sleep(for: .milliseconds(20))
    }
    return isTrue()
}
