import RillCore
import Testing

/// The rate of most of a clip, from the times of its pictures.
struct TypicalRateTests {
    static let rates: [FrameRate] =
        [12, 15, 24, 25, 30, 48, 50, 60, 120, FrameRate(15, per: 2), FrameRate(25, per: 2)]
        + [24, 30, 60].map { FrameRate($0 * 1000, per: 1001) }

    /// Ten seconds at that rate, rounded to ticks of a clock.
    private func times(_ rate: FrameRate, clock: Int, from start: MediaTime = .zero, count: Int? = nil) -> [MediaTime] {
        (0..<(count ?? Int(10 * rate.framesPerSecond))).map { index in
            let time = start + (rate.time(ofFrame: index) - .zero)
            return MediaTime(ticks: time.ticks(rate: clock), rate: clock)
        }
    }

    @Test(arguments: rates, [1000, 90_000, 1_000_000_000])
    func `An even clip has its rate in any unit`(rate: FrameRate, clock: Int) {
        let times = times(rate, clock: clock)
        #expect(FrameRate.typical(of: times) == rate)
        #expect(FrameRate.typical(of: times, claimed: 3) == rate, "a false claim")
    }

    @Test(arguments: rates, [1000, 90_000])
    func `Gaps change nothing, wherever they are`(rate: FrameRate, clock: Int) {
        let even = times(rate, clock: clock)
        #expect(FrameRate.typical(of: [even[0]] + even[5...]) == rate, "first")
        #expect(FrameRate.typical(of: Array(even[..<20]) + even[60...]) == rate, "later")
        #expect(FrameRate.typical(of: [even[0], even[0] + .milliseconds(2)] + even[1...]) == rate, "a short one first")
        let tenths = even.enumerated().filter { $0.offset % 10 != 7 }.map(\.element)
        #expect(FrameRate.typical(of: tenths) == rate, "every tenth is missing")
        for seed in 0..<10 as Range<UInt64> {
            var random = SeededGenerator(seed: seed)
            let some = even.filter { _ in Int.random(in: 0..<20, using: &random) > 0 }
            let typical = FrameRate.typical(of: some)?.framesPerSecond ?? 0
            // Thirty times in milliseconds do not distinguish 59.94 from 60.
            let difference = abs(typical / rate.framesPerSecond - 1)
            #expect(difference < 0.0011, "a twentieth is missing, seed \(seed): \(typical)")
        }
    }

    @Test func `Jitter is averaged`() {
        for seed in 0..<20 as Range<UInt64> {
            var random = SeededGenerator(seed: seed)
            let jittery = times(30, clock: 90_000).map { $0 + .microseconds(.random(in: -8000...8000, using: &random)) }
            #expect(FrameRate.typical(of: jittery) == 30, "seed \(seed)")
        }
    }

    @Test(arguments: [(15, 60), (60, 15), (30, 25), (25, 30)] as [(FrameRate, FrameRate)])
    func `Of two rates it is the one of most pictures`(most: FrameRate, others: FrameRate) {
        let first = times(others, clock: 1000, count: 46)
        let second = times(most, clock: 1000, from: .zero + .seconds(10), count: 104)
        #expect(FrameRate.typical(of: first + second) == most)
        #expect(FrameRate.typical(of: second + first.map { $0 + .seconds(40) }) == most)
    }

    @Test(arguments: [2, 3, 10, 30])
    func `Pictures that come in bunches have the rate that they have in all`(size: Int) {
        for step in [0, 1, 3] {
            let times = (0..<300).map {
                FrameRate(30).time(ofFrame: $0 / size * size) + .milliseconds($0 % size * step)
            }
            guard step > 0 || size > 2 else { continue }
            #expect(FrameRate.typical(of: times) == 30, "\(step) ms")
        }
        // That of a fast camera stays, gaps and all.
        let fast = (0..<300).filter { $0 % 50 < 40 }.map(FrameRate(480).time(ofFrame:))
        #expect(FrameRate.typical(of: fast) == 480)
    }

    @Test func `The claim counts as far as times leave it open`() {
        // Six times in milliseconds do not distinguish 29.97 from 30; ten seconds do.
        let ntsc = FrameRate(30000, per: 1001)
        let short = times(ntsc, clock: 1000, count: 6)
        #expect(FrameRate.typical(of: short, claimed: ntsc) == ntsc)
        #expect(FrameRate.typical(of: times(ntsc, clock: 1000), claimed: 30) == ntsc)
        // A rate that no clip is likely to have, and a claim that writes it otherwise.
        let odd = FrameRate(2999, per: 101)
        #expect(FrameRate.typical(of: times(odd, clock: 1_000_000_000)) == odd)
        #expect(FrameRate.typical(of: times(odd, clock: 1000), claimed: odd) == odd)
    }

    @Test func `Intervals in whole nanoseconds are those of a whole rate`() {
        #expect(FrameRate.typical(of: (0..<60).map { MediaTime(nanoseconds: $0 * 33_333_333) }) == 30)
        #expect(FrameRate.typical(of: (0..<60).map { MediaTime(nanoseconds: $0 * 16_666_666) }) == 60)
    }

    @Test func `Timestamps without a rate give none`() {
        #expect(FrameRate.typical(of: []) == nil && FrameRate.typical(of: [.zero], claimed: 30) == nil)
        let back = [3, 3, 2, 1].map { MediaTime.zero + .seconds(Double($0)) }
        #expect(FrameRate.typical(of: back, claimed: 30) == nil)
        #expect(FrameRate.typical(of: [.zero, .zero + .milliseconds(40)]) == 25)
    }

    /// Files come from strangers.
    @Test func `No times trap`() {
        let extremes: [Int64] = [.min, .min + 1, -1, 0, 1, 2, 1_000_000_000, .max - 1, .max]
        for a in extremes {
            for b in extremes {
                for c in extremes {
                    let times = [a, b, c].map { MediaTime(nanoseconds: $0) }
                    if let rate = FrameRate.typical(of: times) { #expect(rate.framesPerSecond > 0) }
                }
            }
        }
        // Frames of a nanosecond, and of a hundred years.
        #expect(FrameRate.typical(of: (0..<9).map { MediaTime(nanoseconds: $0) }) == 1_000_000_000)
        #expect(FrameRate.typical(of: [.zero, MediaTime(nanoseconds: .max)]) == nil)
    }
}
