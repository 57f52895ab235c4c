import RillCore
import RillPacketSupport
import Testing

@testable import RillReceive

/// How the delay follows what the network does, from 1 to 120 frames a second.
@Suite struct AdaptivePlayoutTests {
    static let frameRates = [1, 5, 30, 120]

    /// A stream of which each frame is one packet that is played out at its time. Lengths are milliseconds.
    private final class Stream {
        var timing: PlayoutTiming
        private let frameRate: Int
        private var index = 0
        private var lastArrival = MediaTime.zero

        /// What became of a frame.
        struct Frame {
            var transit: Double
            /// From its timestamp to its playout.
            var offset: Double
            var arrival: MediaTime
            var lateness: Double { max(0, transit - offset) }
        }

        init(_ frameRate: Int, _ bounds: PlayoutDelayBounds = .adaptive) {
            timing = PlayoutTiming(bounds)
            self.frameRate = frameRate
        }

        /// The next frame, `transit` on its way, but not before the one before it.
        @discardableResult
        func frame(_ transit: Double, repairTime: Double? = nil) -> Frame {
            let timestamp = Int64(index * 90_000 / frameRate)
            index += 1
            let media = MediaTime(ticks: timestamp, rate: 90_000)
            let arrival = max(lastArrival, media + .seconds(transit / 1000))
            lastArrival = arrival
            if repairTime == nil { timing.notePacket(timestamp: timestamp, media, at: arrival) }
            let playout = timing.noteFrame(
                timestamp: timestamp, byteCount: repairTime == nil ? 1000 : nil, isKey: index == 1, step: nil,
                frameInterval: .seconds(1 / Double(frameRate)), at: arrival)
            timing.noteRelease(
                timestamp: timestamp, assembly: arrival, isRepaired: repairTime != nil,
                repairTime: .seconds((repairTime ?? 100) / 1000), at: max(arrival, playout))
            return Frame(
                transit: (arrival - media).milliseconds, offset: (playout - media).milliseconds, arrival: arrival)
        }

        /// That many seconds of frames, each as long on its way as `transit` says.
        @discardableResult
        func play(_ seconds: Int, _ transit: () -> Double = { 20 }) -> [Frame] {
            (0..<seconds * frameRate).map { _ in frame(transit()) }
        }

        var targetDelay: Double { timing.targetDelay.milliseconds }
    }

    private static func isClose(_ a: Double, _ b: Double, _ tolerance: Double = 0.001) -> Bool {
        abs(a - b) <= tolerance
    }

    // MARK: What it comes to

    @Test(arguments: frameRates)
    func `Of a clean stream the margin alone is left`(frameRate: Int) {
        let stream = Stream(frameRate)
        let frames = stream.play(10)
        #expect(frames.allSatisfy { Self.isClose($0.offset, 22) }, "\(frames.map(\.offset))")
        #expect(Self.isClose(stream.targetDelay, 2))
    }

    @Test(arguments: frameRates)
    func `Under jitter nearly all frames are there in time, and none waits for the worst`(frameRate: Int) {
        for seed in 1...5 as ClosedRange<UInt64> {
            var random = SeededGenerator(seed: seed)
            let stream = Stream(frameRate)
            // Ten seconds to learn.
            stream.play(10) { 20 + 20 * random.exponential() }
            let frames = stream.play(60) { 20 + 20 * random.exponential() }
            let late = Double(frames.filter { $0.lateness > 0 }.count) / Double(frames.count)
            let lateness = frames.map(\.lateness).reduce(0, +) / Double(frames.count)
            let offsets = frames.map(\.offset).sorted()
            let transits = frames.map(\.transit).sorted()
            let note: Comment = "\(frameRate) a second, seed \(seed): \(late) late, \(lateness) ms on the average"
            // In six seconds of one frame a second two of six may be late: 2 ms of them all are not to be had there.
            #expect(late < (frameRate == 1 ? 0.5 : 0.2), note)
            #expect(lateness < (frameRate == 1 ? 15 : 5), note)
            #expect(offsets[offsets.count / 2] < transits[transits.count - 1], note)
            #expect(offsets[offsets.count / 2] > transits[transits.count / 2], note)
        }
    }

    @Test(arguments: frameRates)
    func `The delay moves by no more than a tenth of time`(frameRate: Int) {
        var random = SeededGenerator(seed: 5)
        let stream = Stream(frameRate)
        var frames = stream.play(10)
        // No frame so late that those behind it are held up: that is another rule.
        frames += stream.play(15) { 20 + 140 * random.unitInterval() }
        frames += stream.play(15)
        for (before, after) in zip(frames, frames.dropFirst()) {
            let time = min(1000, (after.arrival - before.arrival).milliseconds)
            guard abs(after.offset - before.offset) <= time / 10 + 0.001 else {
                Issue.record("\(before.offset) to \(after.offset) ms within \(time) ms")
                return
            }
        }
        // It went up, and came down again.
        let highest = frames.map(\.offset).max() ?? 0
        #expect(highest > 90, "\(highest)")
        #expect(Self.isClose(frames.last?.offset ?? 0, 22), "\(frames.last?.offset ?? 0)")
    }

    // MARK: Bounds

    @Test(arguments: frameRates)
    func `The delay stays within its bounds`(frameRate: Int) {
        var random = SeededGenerator(seed: 6)
        let stream = Stream(frameRate, PlayoutDelayBounds(minimum: .milliseconds(80), maximum: .milliseconds(150)))
        for frame in stream.play(10) { #expect(Self.isClose(frame.offset, 100)) }
        #expect(Self.isClose(stream.targetDelay, 80))
        for _ in 0..<20 {
            stream.play(1) { 20 + 500 * random.unitInterval() }
            #expect(stream.targetDelay >= 80 && stream.targetDelay <= 150.001, "\(stream.targetDelay)")
        }
        #expect(Self.isClose(stream.targetDelay, 150))
    }

    @Test(arguments: frameRates)
    func `Of low latency no frame waits`(frameRate: Int) {
        var random = SeededGenerator(seed: 7)
        let stream = Stream(frameRate, .lowLatency)
        for frame in stream.play(20, { 20 + 100 * random.unitInterval() }) {
            #expect(frame.offset <= frame.transit + 0.001, "\(frame)")
        }
        #expect(stream.targetDelay == 0)
    }

    @Test func `The time that decoding takes is part of the delay`() {
        for (bounds, offset, delay) in [
            (PlayoutDelayBounds.fixed(.milliseconds(100)), 105.0, 100.0), (.adaptive, 22, 17),
            (.fixed(.milliseconds(10)), 20, 15),
        ] {
            let stream = Stream(30, bounds)
            for index in 0..<100 {
                let time = MediaDuration.milliseconds(index % 25 == 0 ? 90 : 15)
                stream.timing.noteDecodeTime(time, at: .milliseconds(Double(index * 50)))
            }
            #expect(stream.timing.decodeTime == .milliseconds(15))
            let frames = stream.play(10)
            #expect(frames.allSatisfy { Self.isClose($0.offset, offset) }, "\(bounds)")
            #expect(Self.isClose(stream.targetDelay, delay), "\(bounds)")
        }
    }

    @Test func `A decode time beyond reason is bounded`() {
        var timing = PlayoutTiming(.adaptive)
        timing.noteDecodeTime(.seconds(60), at: .zero)
        #expect(timing.decodeTime == .milliseconds(500))
        timing.noteDecodeTime(.zero - .seconds(1), at: .seconds(20))
        #expect(timing.decodeTime == .zero)
    }

    // MARK: Disturbances

    @Test(arguments: frameRates, [3, 8])
    func `After a queue has drained the delay decreases again`(frameRate: Int, seconds: Int) {
        let stream = Stream(frameRate)
        stream.play(15)
        stream.play(seconds) { 520 }
        let highest = stream.targetDelay
        let frames = stream.play(20)
        #expect(highest > 200 || frameRate == 1, "\(highest)")
        // Six seconds until the queue is forgotten where it is not seen to have drained, and then 100 ms in a second.
        let after = frames.dropFirst(10 * frameRate).map(\.offset)
        #expect(after.allSatisfy { Self.isClose($0, 22, 5) }, "\(after.first ?? 0)")
    }

    @Test(arguments: [5, 30, 120])
    func `A single repair is forgotten`(frameRate: Int) {
        let stream = Stream(frameRate)
        stream.play(10)
        stream.frame(140, repairTime: 120)
        let frames = stream.play(20)
        #expect(frames.allSatisfy { $0.offset < 50 })
        #expect(Self.isClose(frames.last?.offset ?? 0, 22))
    }

    @Test(arguments: [5, 30, 120])
    func `Repairs that recur are waited for a minute`(frameRate: Int) {
        let stream = Stream(frameRate)
        stream.play(10)
        for _ in 0..<4 {
            stream.frame(140, repairTime: 120)
            stream.play(5)
        }
        // All of them took as long; the last one was five seconds ago.
        #expect(Self.isClose(stream.targetDelay, 122, 1), "\(stream.targetDelay)")
        stream.play(50)
        #expect(Self.isClose(stream.targetDelay, 122, 1), "\(stream.targetDelay)")
        stream.play(20)
        #expect(Self.isClose(stream.targetDelay, 2, 1), "\(stream.targetDelay)")
    }

    @Test func `After a restart it learns again`() {
        let stream = Stream(30)
        stream.play(10) { 20 }
        stream.timing.restart()
        let frames = stream.play(5) { 500 }
        #expect(frames.allSatisfy { Self.isClose($0.offset, 502) })
        #expect(Self.isClose(stream.targetDelay, 2))
    }
}
