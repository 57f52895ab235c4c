import Rill
import RillCore
import RillMediaSupport
import RillSecurity
import RillTestSupport
import RillTransport
import Testing

/// One sequence of pictures of a participant, in the wanted layer; unwanted layers cost nothing.
@Suite struct WantedLayerCallTests {
    @Test func `The layer that is wanted is shown, in one sequence, and the other one rests`() async throws {
        let (one, two) = try (Sender("one"), Viewer("two", loss: 0.02))
        try one.meet(two)
        try await two.meet(one)
        let them = try #require(two.them)
        #expect(try await eventually { two.sequence.count > 20 && two.sequence.last == .high })
        for round in 0..<6 {
            let layer: CallParticipant.WantedLayer = round % 2 == 0 ? .low : .high
            let (size, other) = round % 2 == 0 ? (SequenceSink.Size.low, 0) : (.high, 1)
            try two.call.want(layer, of: them)
            #expect(try await eventually { two.sequence.last == size }, "\(two.log.lines)")
            #expect(try await one.rests([other]))
            let encoded = one.framesEncoded
            #expect(try await eventually { one.framesEncoded[1 - other] > encoded[1 - other] + 2 })
            #expect(one.framesEncoded[other] == encoded[other])
        }
        try two.call.want(.none, of: them)
        #expect(try await one.rests([0, 1]))
        let (encoded, shown, packets, start) = (one.framesEncoded, two.sequence.count, one.packetsSent, LiveClock())
        try await Task.sleep(for: .milliseconds(700))
        #expect(one.framesEncoded == encoded && two.sequence.count == shown)
        let seconds = Int(start.now.nanoseconds / 1_000_000_000)
        #expect(one.packetsSent - packets < 6 + 4 * seconds, "reports go on, and nothing else")
        try two.call.want(.automatic(shownAt: Resolution(width: 300, height: 200)), of: them)
        #expect(try await eventually { two.sequence.last == .high && two.sequence.count > shown + 10 })
        try two.call.want(.automatic(shownAt: nil), of: them)
        #expect(try await eventually { two.sequence.last == .low })
        // Long unseen it is not wanted at all.
        #expect(try await eventually { two.log.contains("nothing is wanted of one") })
        await two.call.end()
        await one.call.end()
        #expect(two.sequence.isFinished && two.sequence.stepsBack == 0, "\(two.sequence)")
        #expect(two.log.lines.filter { $0 == "one is shown by the low layer" }.count >= 3)
        #expect(!two.log.lines.contains { $0.contains("is muted") }, "a pause that we asked for is none of theirs")
    }

    @Test func `Nothing is encoded without viewers; one encoding serves all who want the layer`() async throws {
        let one = try Sender("one")
        try await Task.sleep(for: .milliseconds(400))
        #expect(one.framesEncoded == [0, 0])
        let (two, three) = try (Viewer("two"), Viewer("three"))
        for viewer in [two, three] {
            try one.meet(viewer)
            try await viewer.meet(one)
        }
        let (second, third) = try (#require(two.them), #require(three.them))
        try two.call.want(.low, of: second)
        try three.call.want(.low, of: third)
        #expect(try await eventually { two.sequence.last == .low && three.sequence.last == .low })
        #expect(try await one.rests([0]))
        let encoded = one.framesEncoded
        try two.call.want(.high, of: second)
        #expect(try await eventually { two.sequence.last == .high })
        let low = three.sequence.count
        #expect(try await eventually { three.sequence.count > low + 2 })
        #expect(three.sequence.last == .low && one.framesEncoded[0] > encoded[0])
        // Who leaves wants nothing.
        await two.call.end()
        #expect(try await one.rests([0]))
        let after = one.framesEncoded
        #expect(try await eventually { one.framesEncoded[1] > after[1] + 2 })
        #expect(one.framesEncoded[0] == after[0], "\(one.framesEncoded)")
        await three.call.end()
        #expect(try await one.rests([0, 1]))
        await one.call.end()
    }

    @Test func `A sink can choose its layer, and hide itself`() async throws {
        let (one, two) = try (Sender("one"), Viewer("two"))
        let watching = try WantingSink()
        try one.meet(two)
        var settings = ParticipantSettings(one.name, at: one.transport.localAddress, key: nil)
        settings.streams = VideoCallSettings(layers: CallEnd.layers).streams()
        let them = try two.call.add(settings, over: two.transport) { them in
            watching.participant.withLock { $0 = them }
            try them.show(on: watching)
        }
        // It wants the other layer with every picture, thirty times, and then is hidden by itself.
        #expect(try await eventually { watching.isFinished })
        #expect(watching.count >= 30 && watching.changes >= 4)
        // It can be shown again, on another sink.
        try them.want(.high)
        try them.show(on: two.sequence)
        #expect(try await eventually { two.sequence.last == .high })
        #expect(throws: CallError.layerIsShown(.high)) { try them.show(.high, on: CountingSink()) }
        #expect(throws: CallError.layerIsShown(.high)) { try them.show(on: CountingSink()) }
        them.hide()
        #expect(try await eventually { two.sequence.isFinished })
        // And layer by layer.
        let layers = [CountingSink(), CountingSink()]
        try them.show(.high, on: layers[0])
        try them.show(.low, on: layers[1])
        #expect(try await eventually { layers.allSatisfy { $0.count > 2 } })
        await two.call.end()
        await one.call.end()
    }

    @Test func `After many changes the last choice is shown`() async throws {
        let (one, two) = try (Sender("one"), Viewer("two", loss: 0.05))
        try one.meet(two)
        try await two.meet(one)
        let them = try #require(two.them)
        #expect(try await eventually { two.sequence.count > 5 })
        var random = SeededGenerator(seed: 3)
        for _ in 0..<400 {
            try them.want([.high, .low, .none, .automatic(shownAt: nil)].randomElement(using: &random) ?? .none)
            try await Task.sleep(for: .milliseconds(Int.random(in: 0...8, using: &random)))
        }
        try them.want(.low)
        #expect(try await eventually { two.sequence.last == .low })
        try them.want(.high)
        #expect(try await eventually { two.sequence.last == .high })
        #expect(two.sequence.stepsBack == 0)
        await two.call.end()
        await one.call.end()
    }

    @Test func `The app's own signaling can carry what participants want`() async throws {
        let (one, two) = try (Sender("one"), Viewer("two", isPausable: false))
        try one.meet(two)
        try await two.meet(one)
        let (us, them) = try (#require(one.them), #require(two.them))
        try two.call.want(.low, of: them)
        // What is not wanted is dropped here; it comes all the same, until somebody says so.
        #expect(
            try await eventually { two.sequence.last == .low && two.log.contains("the low layer is wanted of one") })
        let encoded = one.framesEncoded
        #expect(try await eventually { one.framesEncoded[0] > encoded[0] + 10 })
        try us.setWantedByPeer(false, .high)
        #expect(try await one.rests([0]))
        let after = one.framesEncoded
        #expect(try await eventually { one.framesEncoded[1] > after[1] + 2 })
        #expect(one.framesEncoded[0] == after[0] && two.sequence.last == .low)
        try us.setWantedByPeer(true, .high)
        try two.call.want(.high, of: them)
        #expect(try await eventually { two.sequence.last == .high })
        #expect(throws: CallError.noSuchLayer(.medium, sent: [.high, .low])) { try us.setWantedByPeer(false, .medium) }
        #expect(throws: CallError.noSuchLayer(.medium, sent: [.high, .low])) { try them.want(.layer(.medium)) }
        await two.call.end()
        await one.call.end()
        #expect(two.sequence.stepsBack == 0)
    }

    @Test func `Unread events keep no participant alive`() async throws {
        let remains = Remains()
        do {
            let (one, two) = try (Sender("one"), Viewer("two"))
            try one.meet(two)
            try await two.meet(one)
            remains.participant = one.them
            #expect(try await eventually { two.sequence.count > 3 })
            // What one was told waits in its stream for ever.
            await one.call.end()
            await two.call.end()
        }
        #expect(try await eventually { remains.participant == nil })
    }

    private final class Remains {
        weak var participant: CallParticipant?
    }

    /// An end that sends both layers and receives none.
    private final class Sender: Sendable {
        let call: VideoCall
        let transport: UDPSocket
        let name: String
        private let met = Monitor<CallParticipant?>(nil)
        var them: CallParticipant? { met.withLock { $0 } }

        init(_ name: String) throws {
            self.name = name
            transport = try UDPSocket(boundTo: UDPAddress(.loopback, port: 0))
            let source = try LoopedPictures(Resolution(width: 320, height: 240), frameCount: 30 * 120)
            call = try VideoCall(VideoCallSettings(layers: CallEnd.layers), source: source)
        }

        func meet(_ viewer: Viewer) throws {
            var settings = ParticipantSettings(viewer.name, at: viewer.transport.localAddress, key: nil)
            settings.streams = []
            let them = try call.add(settings, over: transport)
            met.withLock { $0 = them }
        }

        /// Waits until the encoders of these layers have done nothing for a while.
        func rests(_ layers: [Int]) async throws -> Bool {
            var last: [Int] = []
            for _ in 0..<200 {
                let counts = framesEncoded
                let some = layers.map { counts[$0] }
                if some == last { return true }
                last = some
                // The low layer has a picture each 200 ms.
                try await Task.sleep(for: .milliseconds(450))
            }
            return false
        }

        var framesEncoded: [Int] { call.statistics.layers.map(\.encoder.framesEncoded) }
        var packetsSent: Int { Int(call.statistics.participants[0].session.transport.packetsSent) }
    }

    /// Who only watches.
    private final class Viewer: Sendable {
        let call: VideoCall
        let transport: LossyTransport
        let name: String
        let sequence = SequenceSink()
        let log = EventLog()
        private let isPausable: Bool
        private let met = Monitor<CallParticipant?>(nil)
        var them: CallParticipant? { met.withLock { $0 } }

        init(_ name: String, loss: Double = 0, isPausable: Bool = true) throws {
            (self.name, self.isPausable) = (name, isPausable)
            transport = LossyTransport(try UDPSocket(boundTo: UDPAddress(.loopback, port: 0)), loss: loss, seed: 5)
            call = try VideoCall(VideoCallSettings(layers: CallEnd.layers), source: nil)
            Task { [log, events = call.events] in for await event in events { log.append("\(event)") } }
        }

        func meet(_ sender: Sender) async throws {
            var settings = ParticipantSettings(sender.name, at: sender.transport.localAddress, key: nil)
            var streams = VideoCallSettings(layers: CallEnd.layers).streams()
            if !isPausable { for index in streams.indices { streams[index].feedback.remove(.pause) } }
            settings.streams = streams
            let them = try call.add(settings, over: transport) { them in try them.show(on: sequence) }
            met.withLock { $0 = them }
        }
    }
}

/// Wants the other layer with every picture.
private final class WantingSink: FrameSink, Sendable {
    let participant = Monitor<CallParticipant?>(nil)
    private let state = Monitor((count: 0, changes: 0, width: 0, isFinished: false))

    init() throws {}
    var count: Int { state.withLock { $0.count } }
    var changes: Int { state.withLock { $0.changes } }
    var isFinished: Bool { state.withLock { $0.isFinished } }

    func consume(_ frame: VideoFrame) throws {
        let count = state.withLock { state in
            state.count += 1
            if state.width != frame.resolution.width { state.changes += 1 }
            state.width = frame.resolution.width
            return state.count
        }
        let them = participant.withLock { $0 }
        try them?.want(frame.resolution.width > 200 ? .low : .high)
        if count == 30 { them?.hide() }
    }

    func finish() { state.withLock { $0.isFinished = true } }
}

/// Looks at a sequence of pictures of two sizes.
final class SequenceSink: FrameSink, Sendable, CustomStringConvertible {
    enum Size: Sendable { case high, low }

    private struct State {
        var count = 0
        var last: Size?
        var time: MediaTime?
        var stepsBack = 0
        var isFinished = false
    }
    private let state = Monitor(State())

    var count: Int { state.withLock { $0.count } }
    var last: Size? { state.withLock { $0.last } }
    /// Pictures whose time was not later than that of the one before.
    var stepsBack: Int { state.withLock { $0.stepsBack } }
    var isFinished: Bool { state.withLock { $0.isFinished } }
    var description: String { state.withLock { "\($0)" } }

    func consume(_ frame: VideoFrame) {
        state.withLock { state in
            state.count += 1
            state.last = frame.resolution.width > 200 ? .high : .low
            if let time = state.time, frame.captureTime <= time { state.stepsBack += 1 }
            state.time = frame.captureTime
        }
    }

    func finish() { state.withLock { $0.isFinished = true } }
}
