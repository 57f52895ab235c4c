import Rill
import RillCore
import RillMediaSupport
import RillSecurity
import RillTestSupport
import RillTransport
import Testing

/// Two ends of a call in one process, each with its own socket, keys and threads.
@Suite struct VideoCallTests {
    @Test func `Both layers go both ways under a key, and what is lost is repaired`() async throws {
        let key = SRTPKey.generate()
        let (one, two) = try (CallEnd("one", key, loss: 0.05, seed: 1), CallEnd("two", key, loss: 0.05, seed: 2))
        try one.meet(two)
        try two.meet(one)
        let isShown = try await eventually { one.isShowingBoth(pictures: 60) && two.isShowingBoth(pictures: 60) }
        #expect(isShown, "\(one.call.statistics)\n\(two.call.statistics)")
        #expect(one.transport.lost > 0 && two.transport.lost > 0, "the test shows nothing")
        await one.call.end(reason: "good night")
        let isTold = try await eventually { two.log.contains("one left: good night") }
        #expect(isTold, "\(two.log.lines)")
        await two.call.end()
        for end in [one, two] {
            let them = try #require(end.last)
            #expect(them.unprotected?.refused == 0 && (them.unprotected?.rtpPackets ?? 0) > 100, "\(them)")
            #expect(end.sinks.allSatisfy { $0.isFinished })
            let lines = end.log.lines
            #expect(lines.first == "\(end.other) joined" && lines.last == "the call is over", "\(lines)")
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
        _ name: String, _ key: SRTPKey?, loss: Double = 0, seed: UInt64 = 1, layers: [LayerSettings] = CallEnd.layers
    ) throws {
        (self.name, self.key) = (name, key)
        transport = LossyTransport(try UDPSocket(boundTo: UDPAddress(.loopback, port: 0)), loss: loss, seed: seed)
        var settings = VideoCallSettings(layers: layers)
        settings.statisticsInterval = .milliseconds(200)
        let source = try LoopedPictures(Resolution(width: 320, height: 240), frameCount: 30 * 120)
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

    func meet(_ end: CallEnd) throws {
        let them = try call.add(
            ParticipantSettings(end.name, at: end.transport.localAddress, key: key), over: transport)
        try them.show(.high, on: sinks[0])
        try them.show(.low, on: sinks[1])
        met.withLock { $0 = them }
    }

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

/// Waits for something to become true, a minute at the most; whether it did.
func eventually(_ isTrue: () -> Bool) async throws -> Bool {
    let clock = LiveClock()
    while clock.now < MediaTime.zero + .seconds(60) {
        if isTrue() { return true }
        try await Task.sleep(for: .milliseconds(20))
    }
    return isTrue()
}
