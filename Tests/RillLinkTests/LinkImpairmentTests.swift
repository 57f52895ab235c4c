import RillCore
import RillLink
import Testing

/// Each impairment alone against the numbers that its setting promises, then together.
@Suite struct LinkImpairmentTests {
    @Test(arguments: [Percentage.percent(1), .percent(2), .percent(20), Percentage(partsPerMillion: 5000)])
    func `It loses the configured share`(loss: Percentage) throws {
        for seed in UInt64(1)...50 {
            let run = LinkRun(try LinkSettings(loss: loss, seed: seed), count: 4000)
            #expect(isPlausible(run.lostCount, of: 4000, at: loss), "loss \(loss), seed \(seed): \(run.lostCount)")
        }
    }

    @Test func `It loses nothing or everything at the ends`() throws {
        #expect(LinkRun(try LinkSettings(loss: .zero), count: 2000).lostCount == 0)
        #expect(LinkRun(try LinkSettings(loss: .all), count: 2000).lostCount == 2000)
    }

    /// Of the datagrams that follow a lost one, as many are lost as of all: one loss says nothing of the next.
    @Test func `It loses each datagram for itself`() throws {
        let loss = Percentage.percent(20)
        let outcomes = LinkRun(try LinkSettings(loss: loss, seed: 5), count: 50_000).outcomes
        let followers = zip(outcomes, outcomes.dropFirst()).filter { $0.0 == .lost(.random) }
        #expect(isPlausible(followers.count { $0.1 == .lost(.random) }, of: followers.count, at: loss))
    }

    @Test func `It loses the same datagrams and more when loss grows`() throws {
        func lost(_ text: String) throws -> Set<Int> {
            let run = LinkRun(try LinkSettings(notation: text), count: 5000)
            return Set(run.outcomes.indices.filter { run.outcomes[$0] == .lost(.random) })
        }
        let few = try lost("loss=2%,seed=9")
        #expect(try few.isStrictSubset(of: lost("loss=5%,seed=9")))
        #expect(try few == lost("loss=2%,jitter=20ms,delay=50ms,reorder=5%,duplicate=5%,seed=9"))
        #expect(try few != lost("loss=2%,seed=10"))
    }

    /// Sent so far apart that keeping the order never delays anything: what is seen is the distribution itself.
    @Test(arguments: 1...10)
    func `It delays with the deviation of the jitter`(seed: UInt64) throws {
        let settings = try LinkSettings(delay: .milliseconds(200), jitter: .milliseconds(20), seed: seed)
        let run = LinkRun(settings, count: 10_000, interval: .seconds(1))
        let deviations = run.deliveries.map { ($0.arrival - $0.sendTime - settings.delay).milliseconds / 20 }
        let mean = deviations.reduce(0, +) / 10_000
        let variance = deviations.reduce(0) { $0 + $1 * $1 } / 10_000
        #expect(abs(mean) < 0.05, "seed \(seed): mean \(mean)")
        #expect(abs(variance - 1) < 0.07, "seed \(seed): variance \(variance)")
        // The shares of a Gaussian within one, two and three deviations.
        for (bound, share) in [(1.0, 682_689), (2.0, 954_500), (3.0, 997_300)] {
            let within = deviations.count { abs($0) < bound }
            #expect(
                isPlausible(within, of: 10_000, at: Percentage(partsPerMillion: share)),
                "seed \(seed): \(within) in \(bound)")
        }
    }

    @Test func `It never delays by less than nothing`() throws {
        let settings = try LinkSettings(delay: .milliseconds(10), jitter: .milliseconds(20), seed: 2)
        let delays = LinkRun(settings, count: 5000, interval: .seconds(1)).deliveries.map { $0.arrival - $0.sendTime }
        #expect(delays.min() == .zero)
        // A Gaussian of that mean and deviation is below zero in 30.85 % of all draws.
        #expect(isPlausible(delays.count { $0 == .zero }, of: 5000, at: Percentage(partsPerMillion: 308_538)))
    }

    @Test(arguments: 1...20)
    func `It keeps the order, whatever the jitter`(seed: UInt64) throws {
        let settings = try LinkSettings(
            loss: .percent(5), delay: .milliseconds(50), jitter: .milliseconds(50), seed: seed)
        let run = LinkRun(settings, count: 3000)
        #expect(zip(run.deliveries, run.deliveries.dropFirst()).allSatisfy { $0.sequence < $1.sequence })
    }

    @Test(arguments: 1...20)
    func `It delays the configured share`(seed: UInt64) throws {
        let reorder = Percentage.percent(5)
        let settings = try LinkSettings(delay: .milliseconds(20), reorder: reorder, seed: seed)
        let run = LinkRun(settings, count: 4000)
        let heldBack = run.deliveries.filter(\.isHeldBack)
        #expect(isPlausible(heldBack.count, of: 4000, at: reorder), "\(heldBack.count)")
        #expect(heldBack.allSatisfy { $0.arrival - $0.sendTime == .milliseconds(60) })
        #expect(run.deliveries.allSatisfy { $0.isHeldBack || $0.arrival - $0.sendTime == .milliseconds(20) })

        // Sent every millisecond and held back by forty, each is overtaken by those of the next 39, and of the 40th it
        // comes first, unless that one is held back too.
        var place = [Int](repeating: 0, count: 4000)
        for (position, delivery) in run.deliveries.enumerated() { place[delivery.sequence] = position }
        for delivery in heldBack.dropLast(10) where delivery.sequence + 40 < 4000 {
            let overtakers = (delivery.sequence + 1..<4000).filter { place[$0] < place[delivery.sequence] }
            let later = (delivery.sequence + 1..<delivery.sequence + 40).filter { later in
                !run.deliveries[place[later]].isHeldBack
            }
            #expect(overtakers == later, "seed \(seed), datagram \(delivery.sequence)")
        }
    }

    @Test(arguments: 1...20)
    func `It duplicates the configured share`(seed: UInt64) throws {
        let duplicate = Percentage.percent(5)
        let run = LinkRun(try LinkSettings(delay: .milliseconds(20), duplicate: duplicate, seed: seed), count: 4000)
        let copies = run.deliveries.filter(\.isCopy)
        #expect(isPlausible(copies.count, of: 4000, at: duplicate), "\(copies.count)")
        #expect(copies.allSatisfy { $0.arrival - $0.sendTime == .milliseconds(21) })
        #expect(run.deliveries.count { !$0.isCopy } == 4000)
        #expect(zip(run.deliveries, run.contents).allSatisfy { $1 == [$0.sequence % 256, 100] })
    }

    @Test func `It delivers simultaneous packets in sending order`() throws {
        // All of a burst, and copies of half of it, arrive at the same two moments.
        let run = LinkRun(
            try LinkSettings(delay: .milliseconds(20), duplicate: .percent(50)), count: 500, interval: .zero)
        let firsts = run.deliveries.filter { !$0.isCopy }.map(\.sequence)
        let copies = run.deliveries.filter(\.isCopy).map(\.sequence)
        #expect(firsts == Array(0..<500))
        #expect(copies == copies.sorted() && run.deliveries.map(\.sequence) == firsts + copies)
    }
}
