import RillCore
import RillPacketSupport
import Testing

@testable import RillReceive

/// In the first seconds a late frame makes the delay jump; later it does not.
@Suite struct PlayoutStartTests {
    /// How long a repair takes in these tests.
    private static let repairTime = MediaDuration.milliseconds(100)

    /// A stream of 30 frames a second that are 20 ms on their way, unless they are late.
    private struct Stream: ~Copyable {
        var timing: PlayoutTiming
        private(set) var index = 0

        init(_ bounds: PlayoutDelayBounds = .adaptive) {
            timing = PlayoutTiming(bounds)
        }

        /// So many frames that come and are released in time.
        mutating func play(_ count: Int) {
            for _ in 0..<count {
                timing.notePacket(timestamp: timestamp, time(0), at: time(20))
                _ = timing.noteFrame(
                    timestamp: timestamp, byteCount: 1000, isKey: index == 0, step: nil,
                    frameInterval: .seconds(1.0 / 30), at: time(20))
                release(20)
            }
        }

        /// Asks whether the frames behind the next one wait, which was whole `transit` milliseconds after its
        /// timestamp.
        mutating func waits(behind transit: Double) -> Bool {
            timing.wait(
                behind: timestamp, assembly: time(transit), repairTime: PlayoutStartTests.repairTime, at: time(transit))
        }

        /// Releases the next frame, which was whole `transit` milliseconds after its timestamp.
        mutating func release(_ transit: Double) {
            timing.noteRelease(
                timestamp: timestamp, assembly: time(transit), isRepaired: transit > 20,
                repairTime: PlayoutStartTests.repairTime, at: time(transit))
            index += 1
        }

        /// From the next frame's timestamp to its release, in milliseconds.
        var offset: Double {
            mutating get { (timing.provisionalPlayout(timestamp: timestamp) - .frame(index)).milliseconds }
        }

        private var timestamp: Int64 { Int64(index) * 3000 }
        private func time(_ transit: Double) -> MediaTime { .frame(index) + .seconds(transit / 1000) }
    }

    private static func isNear(_ a: Double, _ b: Double) -> Bool { abs(a - b) < 0.001 }

    @Test(arguments: [1, 5, 30, 146])
    func `A late frame moves the delay at once`(count: Int) {
        var stream = Stream()
        stream.play(count)
        let (before, waits, after) = (stream.offset, stream.waits(behind: 80), stream.offset)
        #expect(Self.isNear(before, 22))
        #expect(waits && Self.isNear(after, 82), "\(after)")
        // Once is enough.
        let waitsAgain = stream.waits(behind: 80)
        #expect(!waitsAgain)
    }

    @Test func `Packets in time change nothing`() {
        var stream = Stream()
        stream.play(10)
        let (waits, offset) = (stream.waits(behind: 20), stream.offset)
        #expect(!waits && Self.isNear(offset, 22))
    }

    @Test func `More than one repair is waited for as one`() {
        var stream = Stream()
        stream.play(10)
        let (waits, offset) = (stream.waits(behind: 700), stream.offset)
        // The way of nearly all frames, a repair, and the margin.
        #expect(waits && Self.isNear(offset, 20 + 100 + 2), "\(offset)")
        // So it is where the way of nearly all frames is not known yet, and the fastest one stands in.
        var young = Stream()
        young.play(1)
        let (waitsToo, youngOffset) = (young.waits(behind: 700), young.offset)
        #expect(waitsToo && Self.isNear(youngOffset, 20 + 100 + 2), "\(youngOffset)")
    }

    @Test func `A frame that waited for another is as late as that`() {
        var stream = Stream()
        stream.play(10)
        // There was no poll after this one: nothing waited then.
        stream.release(100)
        let (waits, offset) = (stream.waits(behind: 20), stream.offset)
        #expect(waits && Self.isNear(offset, 100 - 1000.0 / 30 + 2), "\(offset)")
    }

    @Test func `After the first seconds nothing jumps`() {
        var stream = Stream()
        stream.play(151)
        let (waits, offset) = (stream.waits(behind: 80), stream.offset)
        #expect(!waits && Self.isNear(offset, 22), "\(offset)")
    }

    @Test func `Before the first complete frame there is nothing to move`() {
        var stream = Stream()
        let waits = stream.waits(behind: 80)
        #expect(!waits)
    }

    @Test func `After a timestamp jump the first seconds start again`() {
        var stream = Stream()
        stream.play(200)
        stream.timing.restart()
        stream.play(10)
        let (waits, offset) = (stream.waits(behind: 80), stream.offset)
        #expect(waits && Self.isNear(offset, 82), "\(offset)")
    }

    @Test(arguments: [
        (PlayoutDelayBounds.lowLatency, 20.0, 20.0), (.fixed(.milliseconds(50)), 70, 70),
        (PlayoutDelayBounds(minimum: .zero, maximum: .milliseconds(30)), 22, 50),
    ])
    func `The bounds hold`(bounds: PlayoutDelayBounds, before: Double, after: Double) {
        var stream = Stream(bounds)
        stream.play(10)
        let (first, waits, then) = (stream.offset, stream.waits(behind: 80), stream.offset)
        #expect(Self.isNear(first, before) && Self.isNear(then, after), "\(bounds): \(first), \(then)")
        #expect(waits == (after > before))
    }
}
