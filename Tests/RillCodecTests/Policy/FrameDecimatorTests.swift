import RillCodec
import RillCore
import Testing

struct FrameDecimatorTests {
    private func kept(_ times: [MediaTime], rate: FrameRate) -> [MediaTime] {
        var decimator = FrameDecimator(rate: rate)
        return times.filter { decimator.wants($0) }
    }

    @Test(arguments: [FrameRate(5), 6, 7, 10, 12, 15, 24, 25, 30, 50, 60, 120, FrameRate(30000, per: 1001)])
    func `Five are kept of each second, whatever the source's rate`(source: FrameRate) {
        let seconds = 60
        let times = (0..<Int((Double(seconds) * source.framesPerSecond).rounded(.up))).map(source.time(ofFrame:))
        let kept = kept(times, rate: 5)
        // One more where the last frame is the nearest to the grid point at the very end.
        let isEndNearest = (60 - times[times.count - 1].seconds) * source.framesPerSecond < 0.5
        #expect(kept.count == 5 * seconds + (isEndNearest ? 1 : 0), "from \(source)")
        // No grid point is missed by more than half a source interval.
        for (index, time) in kept.enumerated() {
            let distance = abs(time.seconds - Double(index) / 5)
            #expect(distance <= 0.51 / source.framesPerSecond + 1e-9, "frame \(index) from \(source)")
        }
    }

    @Test func `Jittery and changing sources keep the mean rate`() {
        for seed in 0..<20 as Range<UInt64> {
            var random = SeededGenerator(seed: seed)
            var time = 0.0
            var times: [MediaTime] = []
            while time < 60 {
                times.append(.zero + .seconds(time))
                // Between 8 and 100 frames a second, as the light changes.
                time += Double.random(in: 0.01...0.125, using: &random)
            }
            let count = kept(times, rate: 5).count
            #expect((299...301).contains(count), "seed \(seed): \(count)")
        }
    }

    @Test func `A slower source passes completely`() {
        for rate in [FrameRate(1), 3, 4, FrameRate(24000, per: 1001), 29] {
            let times = (0..<200).map(rate.time(ofFrame:))
            #expect(kept(times, rate: 30) == times, "\(rate)")
        }
    }

    @Test func `A source at the target passes completely despite jitter`() {
        var random = SeededGenerator(seed: 5)
        let times = (0..<900).map { index in
            FrameRate(30).time(ofFrame: index) + .microseconds(Int.random(in: -3000...3000, using: &random))
        }
        #expect(kept(times, rate: 30).count >= 895)
    }

    @Test func `A pause is not made up for`() {
        let before = (0..<30).map(FrameRate(30).time(ofFrame:))
        let after = (0..<30).map { FrameRate(30).time(ofFrame: $0) + .seconds(60) }
        #expect(kept(before + after, rate: 5).count == 10)
    }

    @Test func `A clock that is set back starts a new grid`() {
        let times = [0.0, 0.2, 0.4, 0.1, 0.2, 0.3, 0.5].map { MediaTime.zero + .seconds($0) }
        #expect(kept(times, rate: 5) == [0.0, 0.2, 0.4, 0.1, 0.3, 0.5].map { MediaTime.zero + .seconds($0) })
    }

    @Test func `A rate of two frames a nanosecond passes every frame`() throws {
        let rate = try #require(FrameRate(validating: Int(Int32.max), per: 1))
        var decimator = FrameDecimator(rate: rate)
        let times = (0..<30).map(FrameRate(30).time(ofFrame:))
        #expect(times.allSatisfy { decimator.wants($0) })
    }

    @Test func `Without a limit every frame passes, whatever its timestamp`() {
        let times = [0, 5, 5, 4, 1000, 1000, 1001, 2].map { MediaTime(nanoseconds: $0) }
        var decimator = FrameDecimator(rate: nil)
        #expect(times.allSatisfy { decimator.wants($0) })
        // With a limit from now on, the grid begins at the next frame.
        decimator.rate = 10
        #expect([1.0, 1.05, 1.1].map { decimator.wants(.zero + .seconds($0)) } == [true, false, true])
    }
}
