import RillCongestion
import RillLink
import RillTestSupport
import Testing

/// The simulation itself, with known results.
@Suite struct TraceCallTests {
    /// A minute at a constant rate.
    private func call(_ kilobits: Int, on trace: CapacityTrace, queue: QueueLimit) throws -> TraceCall {
        try TraceCall(trace, queue: queue, seed: 1, controller: FixedRate(rate: .kilobits(kilobits)))
    }

    private let megabit = CapacityTrace(rates: [Double](repeating: 1e6, count: 12_000))

    @Test func `A sender below the capacity loses nothing, and its packets wait for their own frame only`() throws {
        let call = try call(500, on: megabit, queue: .time(.milliseconds(300)))
        let figures = TraceFigures(call, of: TraceFigures.usableBits(of: megabit))
        // 0.96 of 500 kbit/s and the headers.
        #expect((0.47...0.54).contains(figures.utilization), "\(figures)")
        #expect(figures.loss < 0.01 && figures.meanWait < 20, "\(figures)")
    }

    @Test(arguments: [(QueueLimit.time(.milliseconds(300)), 300.0), (.bytes(150_000), 1200)])
    func `A sender above the capacity fills the queue to its limit, and loses the rest`(
        limit: QueueLimit, longest: Double
    ) throws {
        let call = try call(1500, on: megabit, queue: limit)
        let figures = TraceFigures(call, of: TraceFigures.usableBits(of: megabit))
        #expect((0.98...1.001).contains(figures.utilization), "\(figures)")
        #expect((0.3...0.36).contains(figures.loss), "\(figures)")
        // With the packet itself; in bytes, up to one more packet.
        let most = call.trips.compactMap { $0.wait?.milliseconds }.max() ?? 0
        #expect((longest - 15...longest + 10).contains(most), "\(most) ms")
        #expect(figures.wait > 0.9 * longest)
    }

    @Test func `While the link stalls the queue in time shrinks to one packet, and waits include the stall`() throws {
        var rates = [Double](repeating: 1e6, count: 2400)
        for slot in 1000..<1200 { rates[slot] = 0 }
        let call = try call(500, on: CapacityTrace(rates: rates), queue: .time(.milliseconds(300)))
        let stop = (MediaTime.zero + .seconds(5))...(MediaTime.zero + .seconds(6))
        let late = call.trips.filter { stop.contains($0.sent) && $0.sent > stop.lowerBound + .milliseconds(200) }
        #expect(late.count > 20 && late.allSatisfy { $0.wait == nil }, "\(late)")
        // The packets just before the stall wait for the whole second.
        let longest = call.trips.compactMap { $0.wait?.milliseconds }.max() ?? 0
        #expect((900...1050).contains(longest), "\(longest) ms")
    }
}
