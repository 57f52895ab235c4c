import RillCore
import RillLink
import Testing

/// What lives in time: spikes, the wireless hop, blackouts, and the order of those whose delays differ.
@Suite struct LinkDelayTests {
    // MARK: Spikes

    @Test(arguments: 1...3)
    func `A spike rises by its height and drains at once`(seed: UInt64) throws {
        let settings = try LinkSettings(notation: "delay=20ms,spikes=250ms/10s,seed=\(seed)")
        let run = LinkRun(settings, count: 100_000, interval: .milliseconds(20)) { _ in 0 }
        #expect(run.deliveries.map(\.sequence) == Array(0..<100_000))
        var starts: [MediaTime] = []
        for delivery in run.deliveries {
            let extra = delivery.arrival - delivery.sendTime - .milliseconds(20)
            guard extra != .zero else { continue }
            // All that is sent in a spike arrives at its end.
            let start = delivery.arrival - .milliseconds(270)
            #expect(start <= delivery.sendTime && extra <= .milliseconds(250) && extra > .zero)
            if starts.last != start { starts.append(start) }
        }
        // 2000 s hold 200 spikes, less the few that begin between the same two datagrams as the one before.
        #expect((200 - 71...200 + 71).contains(starts.count), "seed \(seed): \(starts.count)")
        let gaps = zip(starts.dropFirst(), starts).map { ($0 - $1).seconds }
        // Of exponential gaps a share of 1/e is longer than the mean, and 1 - e^-0.1 shorter than a tenth of it.
        #expect(isPlausible(gaps.count { $0 > 10 }, of: gaps.count, at: Percentage(partsPerMillion: 367_879)))
        #expect(isPlausible(gaps.count { $0 < 1 }, of: gaps.count, at: Percentage(partsPerMillion: 95_163)))
    }

    @Test func `A long silence is not played through`() throws {
        let link = EmulatedLink(try LinkSettings(notation: "spikes=10ms/10ms"))
        let bytes: [UInt8] = [1]
        for year in 0..<100 {
            let now = MediaTime.zero + .seconds(31_557_600 * year)
            guard case .queued(let arrival, _, _) = link.send(bytes.span, at: now) else {
                Issue.record("lost in year \(year)")
                continue
            }
            #expect((.zero ... .milliseconds(10)).contains(arrival - now))
        }
    }

    // MARK: The wireless hop

    /// Sent so far apart that each waits for a turn of its own: what is seen is the distribution.
    @Test(arguments: [("2ms/500ms", 2.0, 500.0), ("1ms/100ms", 1.0, 100.0), ("3ms/3ms", 3.0, 3.0)])
    func `It waits for the channel as Pareto has it`(notation: String, least: Double, most: Double) throws {
        for seed in UInt64(1)...5 {
            let settings = try LinkSettings(notation: "wifi=\(notation),seed=\(seed)")
            let run = LinkRun(settings, count: 20_000, interval: .seconds(1)) { _ in 0 }
            let waits = run.deliveries.map { ($0.arrival - $0.sendTime).milliseconds }
            #expect(waits.allSatisfy { (least...most).contains($0) })
            guard most > least else { continue }
            for share in [0.5, 0.9, 0.99, 0.999] {
                let quantile = least / (1 - share * (1 - least / most))
                let within = waits.count { $0 <= quantile }
                let percentage = Percentage(partsPerMillion: Int((share * 1e6).rounded()))
                #expect(
                    isPlausible(within, of: 20_000, at: percentage), "\(notation), seed \(seed), \(share): \(within)")
            }
        }
    }

    @Test func `The figures in the documentation are right`() {
        func quantile(_ share: Double, _ least: Double, _ most: Double) -> Int {
            Int((least / (1 - share * (1 - least / most))).rounded())
        }
        #expect([0.5, 0.9, 0.99].map { quantile($0, 2, 500) } == [4, 19, 143])
        #expect([0.5, 0.9, 0.99].map { quantile($0, 1, 100) } == [2, 9, 50])
    }

    @Test func `Waiting packets leave together, up to sixty-four`() throws {
        let run = LinkRun(try LinkSettings(notation: "wifi=5ms/50ms,seed=2"), count: 200, interval: .zero)
        #expect(run.deliveries.map(\.sequence) == Array(0..<200))
        let aggregates = Dictionary(grouping: run.deliveries, by: \.arrival).sorted { $0.key < $1.key }.map(
            \.value.count)
        #expect(aggregates == [64, 64, 64, 8])
        // Sent every millisecond, those that come within a wait share its end.
        let steady = LinkRun(try LinkSettings(notation: "wifi=5ms/50ms,seed=2"), count: 2000)
        let turns = Dictionary(grouping: steady.deliveries, by: \.arrival).sorted { $0.key < $1.key }
        for (turn, next) in zip(turns, turns.dropFirst()) {
            let (first, later) = (turn.value[0].sendTime, next.value[0].sendTime)
            #expect(turn.key - first >= .milliseconds(5) && turn.key - first <= .milliseconds(50))
            #expect(turn.value.allSatisfy { $0.sendTime < turn.key } && later >= turn.key)
        }
    }

    // MARK: Blackouts

    @Test func `Nothing passes during a blackout, and everything outside of it`() throws {
        let settings = try LinkSettings(notation: "blackout=200ms@1s+2s/5ms@100ms,delay=3s")
        let run = LinkRun(settings, count: 6000)
        for (millisecond, outcome) in run.outcomes.enumerated() {
            let isDark = (100..<105).contains(millisecond) || (millisecond >= 1000 && (millisecond - 1000) % 2000 < 200)
            #expect((outcome == .lost(.blackout)) == isDark, "\(millisecond)")
        }
        #expect(run.statistics.lostInBlackouts == 605 && run.statistics.lost == 605)
    }

    /// 1000 bytes take 8 ms: what leaves the queue from 20 ms on to 36 ms is lost, and what comes later is not.
    @Test func `The queue keeps draining during a blackout`() throws {
        let run = LinkRun(
            try LinkSettings(notation: "blackout=16ms@20ms,rate=1M"), count: 10, interval: .zero
        ) { _ in 1000 }
        #expect(run.outcomes.indices.filter { run.outcomes[$0] == .lost(.blackout) } == [2, 3])
        #expect(run.deliveries.map(\.sequence) == [0, 1, 4, 5, 6, 7, 8, 9])
        #expect(run.deliveries[2].arrival == .zero + .milliseconds(40))
    }

    @Test func `A later delay spike neither saves packets from a blackout nor loses them`() throws {
        let settings = try LinkSettings(notation: "spikes=500ms/2s,blackout=100ms@0s+300ms")
        let run = LinkRun(settings, count: 5000)
        for (millisecond, outcome) in run.outcomes.enumerated() {
            #expect((outcome == .lost(.blackout)) == (millisecond % 300 < 100), "\(millisecond)")
        }
    }

    // MARK: Order

    /// With the same draws, an order that is kept delays each to the latest of those before it.
    @Test(arguments: 1...10)
    func `An order by delay lets the faster overtake`(seed: UInt64) throws {
        let common = "delay=40ms,jitter=15ms,loss=3%,seed=\(seed)"
        let free = LinkRun(try LinkSettings(notation: common + ",order=by-delay"), count: 3000)
        let kept = LinkRun(try LinkSettings(notation: common), count: 3000)
        #expect(zip(free.deliveries, free.deliveries.dropFirst()).contains { $0.sequence > $1.sequence })
        #expect(zip(free.deliveries, free.deliveries.dropFirst()).allSatisfy { $0.arrival <= $1.arrival })
        var frontier = MediaTime.zero
        for (one, other) in zip(free.outcomes, kept.outcomes) {
            guard case .queued(let arrival, _, _) = one else {
                #expect(one == other)
                continue
            }
            frontier = max(frontier, arrival)
            #expect(other == .queued(arrival: frontier, copyArrival: nil, isCorrupted: false))
        }
    }

    @Test func `The smallest delay is known or seen`() throws {
        for (notation, known) in [
            ("delay=40ms,loss=2%,spikes=1s/10s,order=by-delay", MediaDuration.milliseconds(40)), ("", .zero),
            ("delay=40ms,jitter=1ms", nil), ("delay=40ms,wifi=1ms/2ms", nil), ("delay=40ms,rate=1M", nil),
        ] {
            let settings = try LinkSettings(notation: notation)
            #expect(settings.smallestDelay == known, "\(notation)")
            let run = LinkRun(settings, count: 1000, interval: .milliseconds(5)) { _ in 100 }
            let seen = run.deliveries.map { $0.arrival - $0.sendTime }.min()
            #expect(run.statistics.smallestDelay == seen, "\(notation)")
            if let known { #expect(seen == known, "\(notation)") }
        }
    }
}
