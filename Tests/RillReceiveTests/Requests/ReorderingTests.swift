import RillTestSupport
import Testing

/// How many retransmissions are needless where packets overtake each other, and how fast lost packets are repaired.
@Suite struct ReorderingTests {
    /// The streams: bits and frames a second.
    private static let streams: [(rate: Double, framesPerSecond: Int)] =
        [(3e5, 15), (1e6, 30), (2e6, 30), (5e6, 60)] + (isLongRun ? [(3e5, 30), (2e6, 15), (2e6, 60), (5e6, 30)] : [])

    /// The counts of the first two seconds, and of what follows.
    private func run(
        _ name: String, seeds: ClosedRange<UInt64> = 1...3, _ plan: (UInt64) -> ReorderingCall.Plan
    ) -> (start: ReorderingCall.Counts, rest: ReorderingCall.Counts) {
        var (start, rest) = (ReorderingCall.Counts(), ReorderingCall.Counts())
        for seed in seeds {
            let counts = ReorderingCall.run(plan(seed))
            // What is lost at the end is not noticed.
            for second in counts.indices.dropLast() {
                if second < 2 { start += counts[second] } else { rest += counts[second] }
            }
        }
        if isLongRun { print("\(name) | \(start) | \(rest)") }
        return (start, rest)
    }

    /// Sigma in milliseconds, and by when half of the lost packets are repaired: a round trip takes 100 ms.
    @Test(arguments: [(0.0, 125.0), (10, 150), (30, 205), (60, 290), (100, 410)], [0, 0.01, 0.05])
    func `At most one packet in a hundred is retransmitted needlessly`(_ link: (Double, Double), loss: Double) {
        let (sigma, repair) = link
        for (rate, framesPerSecond) in Self.streams {
            let name = "\(Int(rate / 1000)) kbit/s, \(framesPerSecond) fps, sigma \(sigma), loss \(loss)"
            let (start, rest) = run(name) { seed in
                ReorderingCall.Plan(
                    rate: rate, framesPerSecond: framesPerSecond, sigma: { _ in sigma }, loss: loss,
                    seconds: isLongRun ? 60 : 20, seed: seed)
            }
            #expect(rest.needlessShare <= 0.01, "\(name): \(rest)")
            #expect(rest.repair(0.5) <= repair, "\(name): \(rest)")
            #expect(rest.unrepaired <= 1 + rest.lost / 200, "\(name): \(rest)")
            // Nothing is known yet: what is learned there is what was needless.
            #expect(start.needlessShare <= (sigma == 0 ? 0.005 : rate < 1e6 ? 0.06 : 0.04), "\(name): \(start)")
        }
    }

    @Test(arguments: [(10.0, 60.0), (60, 10), (0, 30), (30, 0)])
    func `A spread that changes is learned`(_ before: Double, _ after: Double) {
        let name = "sigma \(before) to \(after)"
        var rest = ReorderingCall.Counts()
        var converged = ReorderingCall.Counts()
        for seed in 1...3 as ClosedRange<UInt64> {
            let counts = ReorderingCall.run(
                .init(sigma: { $0 < 15 ? before : after }, loss: 0.01, seconds: 40, seed: seed))
            for second in counts[2..<39] { rest += second }
            for second in counts[27..<39] { converged += second }
        }
        if isLongRun { print("\(name) | \(rest) | \(converged)") }
        #expect(rest.needlessShare <= 0.015, "\(name): \(rest)")
        // After twelve seconds it is as if it had always been so.
        let repair: Double = after == 0 ? 125 : after == 10 ? 145 : after == 30 ? 200 : 280
        #expect(converged.needlessShare <= 0.01 && converged.repair(0.5) <= repair, "\(name): \(converged)")
    }

    @Test(arguments: [(20.0, true), (100, false), (300, true)])
    func `A short or long round trip, and no stream of retransmissions`(_ roundTrip: Double, _ hasStream: Bool) {
        for sigma in [30.0, 60] {
            let name = "round trip \(roundTrip), own stream \(hasStream), sigma \(sigma)"
            let (_, rest) = run(name) { seed in
                ReorderingCall.Plan(
                    sigma: { _ in sigma }, loss: 0.01, delay: (roundTrip / 2, roundTrip / 2), seconds: 20, seed: seed,
                    hasRetransmissionStream: hasStream)
            }
            #expect(rest.needlessShare <= 0.01, "\(name): \(rest)")
        }
    }

    /// Its frames are suspected to be lost as soon as they are late.
    @Test(arguments: [0.0, 10, 30, 60, 100])
    func `The low stream of 5 frames a second`(_ sigma: Double) {
        for loss in [0, 0.01] {
            let name = "low stream, sigma \(sigma), loss \(loss)"
            let (_, rest) = run(name, seeds: 1...6) { seed in
                ReorderingCall.Plan(
                    rate: 45e3, framesPerSecond: 5, sigma: { _ in sigma }, loss: loss, seconds: 60, seed: seed)
            }
            #expect(rest.needlessShare <= 0.02, "\(name): \(rest)")
        }
    }
}

extension ReorderingCall.Counts: CustomStringConvertible {
    var description: String {
        func percent(_ share: Double) -> String { "\((share * 10_000).rounded() / 100) %" }
        return "\(percent(needlessShare)) of \(sent) needless (\(percent(needlessOfRetransmissions)) of "
            + "\(retransmissions)), repaired in \(Int(repair(0.5))), \(Int(repair(0.95))) ms, not \(unrepaired) of \(lost)"
    }
}
