import Testing

@testable import RillCore

struct IncreasingTimesTests {
    /// Milliseconds, of timestamps in milliseconds with an interval of 40.
    private func times(_ timestamps: [Int]) -> [Double] {
        var rising = IncreasingTimes(interval: .milliseconds(40))
        return timestamps.map { rising.time(of: .zero + .milliseconds($0)).seconds * 1000 }
    }

    @Test func `Times that rise stay as they are, whatever lies between them`() {
        let timestamps = [-80, -40, 0, 1, 40, 80, 3_600_000, 3_600_040]
        #expect(times(timestamps) == timestamps.map(Double.init))
    }

    @Test func `When another clip starts its pictures keep their distances`() {
        #expect(times([0, 40, 80, 120, 0, 50, 80, 200]) == [0, 40, 80, 120, 160, 210, 240, 360])
        #expect(times([5000, 5040, 0, 40, 1000, 0, 40]) == [5000, 5040, 5080, 5120, 6080, 6120, 6160])
        #expect(times([-5, 200, -10_000, -9_960, -9_900]) == [-5, 200, 240, 280, 340])
    }

    @Test func `Reordered or simultaneous pictures follow each other immediately`() {
        let nanosecond = 0.000001
        let found = times([0, 80, 40, 120, 120, 120, 160])
        for (time, expected) in zip(found, [0, 80, 80 + nanosecond, 120, 120 + nanosecond, 120 + 2 * nanosecond, 160]) {
            #expect(abs(time - expected) < nanosecond / 2, "\(found)")
        }
    }

    @Test func `A counter that wraps continues`() {
        let timestamps = (0..<8).map { (Int(UInt32.max) - 9000 + $0 * 3000) % Int(UInt32.max) / 90 }
        let found = times(timestamps)
        for (before, after) in zip(found, found.dropFirst()) { #expect(abs(after - before - 100 / 3) < 7, "\(found)") }
    }

    @Test(arguments: [Int64.min, .min + 1, -1, 0, .max - 1, .max])
    func `Any timestamps are accepted`(stamp: Int64) {
        for others in [[Int64.min, .max, 0], [.max, .min, .max], [0, .min, 1], [.max, .max, .max]] {
            var rising = IncreasingTimes(interval: .milliseconds(40))
            for stamp in [stamp] + others { _ = rising.time(of: MediaTime(nanoseconds: stamp)) }
        }
    }
}
