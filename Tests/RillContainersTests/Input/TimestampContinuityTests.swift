import Testing

@testable import RillContainers

struct TimestampContinuityTests {
    /// The offset of each packet's timestamp, in milliseconds.
    private func shifts(_ packets: [(track: Int, stamp: Int64)], lasting duration: Int64 = 40) -> [Int64] {
        var continuity = TimestampContinuity()
        return packets.map { track, stamp in
            continuity.note(track: track, at: stamp * 1_000_000, lasting: duration * 1_000_000)
            return continuity.shift / 1_000_000
        }
    }

    @Test func `Timestamps that rise, repeat or go back slightly are unchanged`() {
        let timestamps: [Int64] = [-80, 0, 40, 40, 20, 9000, 19_000, 18_900]
        #expect(shifts(timestamps.map { (0, $0) }) == timestamps.map { _ in 0 })
    }

    @Test func `A clock that restarts continues where it ended`() {
        #expect(shifts([(0, 0), (0, 140), (0, 0), (0, 140), (0, 0)]) == [0, 0, 180, 180, 360])
        #expect(shifts([(0, 5000), (0, 0), (0, 4000)]) == [0, 5040, 5040])
    }

    @Test func `All tracks go along with the first that jumps`() {
        let packets: [(Int, Int64)] = [(0, 0), (1, 10), (0, 200), (1, 210), (1, 5), (0, 0), (1, 205), (0, 200)]
        #expect(shifts(packets) == [0, 0, 0, 0, 245, 245, 245, 245])
    }

    @Test func `A paused track is not a jump; if all tracks are far behind, the clock changed`() {
        let packets: [(Int, Int64)] = [(0, 0)] + (0...300).map { (1, $0 * 100) } + [(0, 30_000), (0, 41_000)]
        #expect(shifts(packets).suffix(3) == [0, 0, 30_040 - 41_000])
    }

    @Test func `Any timestamps are accepted`() {
        let timestamps: [Int64] = [.min, .max, 0, .min, .min, -1, .max, .max]
        for duration in [Int64.min, -1, 0, .max] {
            var continuity = TimestampContinuity()
            for (index, stamp) in timestamps.enumerated() {
                continuity.note(track: index % 2, at: stamp, lasting: duration)
            }
            #expect(continuity.hasJumped)
        }
    }
}
