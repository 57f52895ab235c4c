import RillCore
import Testing

@testable import RillCapture

/// Stamps of drivers, and what takes the place of those that cannot be.
@Suite struct FrameTimestampCheckTests {
    private let interval = MediaDuration.milliseconds(40)
    private let start = MediaTime(nanoseconds: 5_000_000_000)

    /// Feeds frames of 25 a second, dequeued 3 ms after they were taken, with timestamps that are off by `error`.
    private func times(
        _ count: Int, gapAt: Int? = nil, error: (Int) -> MediaDuration?
    ) -> (times: [MediaTime], faults: TimestampFaults) {
        var check = FrameTimestampCheck(interval: interval)
        var sequence: UInt32 = .max - 2
        var times: [MediaTime] = []
        for index in 0..<count {
            if index == gapAt { sequence &+= 1 }
            let taken = start + interval * index
            let stamp = error(index).map { taken + $0 }
            times.append(
                check.time(
                    stamp: stamp, sequence: sequence, queuedAt: taken - .milliseconds(120),
                    now: taken + .milliseconds(3)))
            sequence &+= 1
        }
        return (times, check.faults)
    }

    @Test func `Valid timestamps are used unchanged`() {
        let (times, faults) = times(50) { _ in .zero }
        #expect(times == (0..<50).map { start + interval * $0 })
        #expect(faults == TimestampFaults())
    }

    @Test(arguments: [
        ("future", MediaDuration.seconds(1000)), ("jumped", .seconds(-4)), ("repeated", .milliseconds(-40)),
        ("backward", .milliseconds(-61)),
    ])
    func `An invalid timestamp is detected, counted, and replaced by an estimate`(
        kind: String, error: MediaDuration
    ) {
        // The first frame has nothing before it that it could repeat.
        let (times, faults) = times(20) { $0 == 10 ? error : .zero }
        var expected = TimestampFaults()
        switch kind {
        case "future": expected.future = 1
        // Before the one before it, whatever else it is.
        case "jumped", "backward": expected.backward = 1
        default: expected.repeated = 1
        }
        #expect(faults == expected, "\(kind)")
        for index in times.indices { #expect(times[index] == start + interval * index, "\(kind), frame \(index)") }
    }

    @Test func `A timestamp from before the buffer was queued is invalid`() {
        let (times, faults) = times(3) { $0 == 0 ? .seconds(-100) : .zero }
        #expect(faults.jumped == 1 && faults.count == 1)
        // Nothing is known of the camera yet: the frame is as old as its dequeuing.
        #expect(times[0] == start + .milliseconds(3))
        #expect(times[1] == start + interval)
    }

    @Test func `A driver without timestamps gets times that rise by its intervals`() {
        let (times, faults) = times(100) { _ in nil }
        #expect(faults.unstamped == 100)
        for index in 1..<100 { #expect(times[index] - times[index - 1] == interval, "frame \(index)") }
    }

    @Test func `A missing frame counts in the time that replaces a timestamp`() {
        var check = FrameTimestampCheck(interval: interval)
        _ = check.time(stamp: start, sequence: 7, queuedAt: start, now: start + .milliseconds(2))
        let now = start + .milliseconds(123)
        let time = check.time(stamp: nil, sequence: 10, queuedAt: start, now: now)
        #expect(time == start + interval * 3)
    }

    @Test func `Times rise with any timestamps`() {
        var random = SeededGenerator(seed: 5)
        let (times, faults) = times(2000) { _ in .milliseconds(Int(random.next() % 400) - 200) }
        #expect(faults.count > 100)
        for index in 1..<times.count { #expect(times[index] > times[index - 1], "frame \(index)") }
        for (index, time) in times.enumerated() {
            let now = start + interval * index + .milliseconds(3)
            #expect(time <= now + .milliseconds(1), "frame \(index) lies in the future")
        }
    }

    @Test func `Gaps are counted, a restarted count is not a gap`() {
        var gaps = SequenceGaps()
        let missing = [0, 1, 4, 5, .max, 0, 2, 2, 0].map { gaps.add($0) }
        #expect(missing == [0, 0, 2, 0, 0, 0, 1, 0, 0])
    }
}
