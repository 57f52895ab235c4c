import RillCore
import RillLink
import Testing

/// Loss in bursts against what a chain of two states promises, within five standard deviations of it.
@Suite struct BurstLossTests {
    private static let count = 20_000

    private func losses(_ notation: String, seed: UInt64) throws -> [Bool] {
        let link = EmulatedLink(try LinkSettings(notation: "burst=\(notation)").seeded(seed))
        let bytes: [UInt8] = []
        var datagram: [UInt8] = []
        let outcomes = (0..<Self.count).map { _ in
            let outcome = link.send(bytes.span, at: .zero)
            _ = link.poll(at: .zero, into: &datagram)
            return outcome == .lost(.burst)
        }
        #expect(link.statistics.lostInBursts == outcomes.count { $0 } && link.statistics.lostRandomly == 0)
        return outcomes
    }

    /// How many are lost in each run of losses.
    private func burstLengths(_ losses: [Bool]) -> [Int] {
        losses.split(separator: false).map(\.count)
    }

    @Test(arguments: [(5, 3.0), (1, 1.0), (1, 2.5), (20, 10.0), (50, 1.0), (0, 3.0)])
    func `It loses the configured share in bursts of the configured length`(percent: Int, length: Double) throws {
        let share = Double(percent) / 100
        let back = 1 / length
        let begin = back * share / (1 - share)
        // The variance of a count over a chain whose states follow each other with correlation 1 - p - r.
        let correlation = 1 - begin - back
        let deviation = (share * (1 - share) * (1 + correlation) / (1 - correlation)).squareRoot()
        func check(_ losses: [Bool], _ seeds: String) {
            let count = Double(losses.count)
            let lost = Double(losses.count { $0 }) / count
            #expect(
                abs(lost - share) <= 5 * deviation / count.squareRoot() + 1e-4,
                "\(percent)%/\(length), \(seeds): \(lost)")
            let bursts = burstLengths(losses)
            guard !bursts.isEmpty else {
                #expect(percent == 0)
                return
            }
            let mean = Double(bursts.reduce(0, +)) / Double(bursts.count)
            let meanDeviation = ((1 - back) / Double(bursts.count)).squareRoot() / back
            #expect(abs(mean - length) <= 5 * meanDeviation + 1e-9, "\(percent)%/\(length), \(seeds): \(mean)")
        }
        var all: [Bool] = []
        for seed in UInt64(1)...10 {
            let losses = try losses("\(percent)%/\(length)".replacing(".0", with: ""), seed: seed)
            check(losses, "seed \(seed)")
            // One that gets through between two seeds, so that no burst goes on from one to the next.
            all += losses + [false]
        }
        // Together they show errors of a few percent.
        check(all, "all seeds")
    }

    /// The lengths are distributed as a memory of one step makes them: a share of 1 - r of the bursts of a length goes
    /// on.
    @Test func `It ends a burst with the same probability, whatever its length`() throws {
        let bursts = try burstLengths(losses("20%/4", seed: 3))
        for length in 1...8 {
            let reached = bursts.count { $0 >= length }
            let ended = bursts.count { $0 == length }
            #expect(isPlausible(ended, of: reached, at: .percent(25)), "\(length): \(ended) of \(reached)")
        }
    }

    @Test(arguments: 1...10)
    func `It loses in both states as Elliott has it`(seed: UInt64) throws {
        let burst = try BurstLoss(notation: "2%/20%/60%/1%")
        let losses = try losses(burst.description, seed: seed)
        // The bad state takes 1/11 of the time: 0.6/11 + 0.01 · 10/11.
        let mean = 0.7 / 11
        #expect(abs(burst.meanLoss - mean) < 1e-12)
        let inState = 1.0 / 11 * 10 / 11 * 0.59 * 0.59
        let variance = mean * (1 - mean) + 2 * inState * 0.78 / 0.22
        let deviation = (variance / Double(Self.count)).squareRoot()
        let lost = Double(losses.count { $0 }) / Double(Self.count)
        #expect(abs(lost - mean) <= 5 * deviation, "seed \(seed): \(lost)")
    }

    @Test func `It loses nothing or everything at the ends`() throws {
        #expect(try losses("0%/100%/100%/0%", seed: 1).allSatisfy { !$0 })
        #expect(try losses("100%/0%/100%/0%", seed: 1).allSatisfy { $0 })
        #expect(try losses("0%/0%/0%/100%", seed: 1).allSatisfy { $0 })
        #expect(try losses("100%/100%/100%/0%", seed: 1).enumerated().allSatisfy { $1 == $0.isMultiple(of: 2) })
    }

    @Test(arguments: ["76%/3", "100%/3", "5%/0.999", "5%/10001", "51%/1"])
    func `It rejects impossible losses`(notation: String) throws {
        let burst = try BurstLoss(notation: notation)
        #expect(throws: LinkError.impossibleBurst(burst)) { try LinkSettings(burst: burst) }
    }
}
