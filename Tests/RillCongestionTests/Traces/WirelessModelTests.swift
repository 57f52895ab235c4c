import RillLink
import RillTestSupport
import Testing

@Suite struct WirelessModelTests {
    private let seeds = 1...(isLongRun ? 30 : 8) as ClosedRange<UInt64>

    @Test(arguments: WirelessModel.allCases)
    func `The same seed gives the same trace, within the model's means and lengths`(model: WirelessModel) {
        #expect(model.trace(seed: 7).rates == model.trace(seed: 7).rates)
        #expect(model.trace(seed: 7).rates != model.trace(seed: 8).rates)
        for seed in seeds {
            let trace = model.trace(seed: seed)
            #expect((59...120).contains(trace.duration.seconds), "seed \(seed): \(trace.duration)")
            let (low, high) = (model.means.lowerBound, model.means.upperBound)
            #expect((0.99 * low...high).contains(trace.mean), "seed \(seed): \(trace.mean)")
        }
    }

    /// Properties of published traces: seconds in which the rate changes by half, interruptions, and rates that stay
    /// similar for seconds.
    @Test(arguments: WirelessModel.allCases)
    func `Rates vary over seconds, and stall at times`(model: WirelessModel) throws {
        let statistics = seeds.map { TraceStatistics(model.trace(seed: $0)) }
        let scatter = statistics.map(\.scatter)
        let near = statistics.map { $0.correlation(after: 1) }
        let far = statistics.map { $0.correlation(after: 20) }
        let stops = statistics.map(\.stops)
        note(
            "\(model.rawValue): scatter \(scatter.median) (\(scatter.min() ?? 0) to \(scatter.max() ?? 0)), correlation after 1 s "
                + "\(near.median), after 20 s \(far.median), stops of 100 ms \(stops.map { Double($0.count) }.median) a trace, longest "
                + "\(stops.compactMap { $0.max() }.max() ?? 0) s")
        #expect((0.2...0.9).contains(scatter.median))
        #expect(near.median > 0.35 && far.median < 0.3, "\(near), \(far)")
        #expect(3 * stops.count { !$0.isEmpty } >= 2 * stops.count)
        #expect(stops.joined().allSatisfy { $0 <= 1.5 })
    }

    @Test(arguments: WirelessModel.allCases)
    func `A link carries what its trace says`(model: WirelessModel) throws {
        let trace = model.trace(seed: 3)
        let settings = try LinkSettings(
            rate: try trace.schedule(), queueLimit: .bytes(QueueLimit.maximumByteCount))
        let link = EmulatedLink(settings)
        let datagram = [UInt8](repeating: 0, count: 1000)
        // All of them at once.
        for _ in 0..<8000 { link.send(datagram.span, at: .zero) }
        var (bytes, carried, error) = ([UInt8](), 0.0, 0.0)
        while let delivery = link.poll(at: .zero + trace.duration, into: &bytes) {
            carried += 8000
            error = max(error, abs(trace.bits(until: delivery.arrival) - carried))
        }
        #expect(error < 100, "\(error) of \(carried) bits")
        #expect(carried > 1e6)
    }

    @Test func `The capacity at a time is the mean of the last 200 ms, and service waits for the next slot`() {
        let trace = CapacityTrace(
            rates: [Double](repeating: 1e6, count: 40) + [Double](repeating: 0, count: 40) + [3e6])
        #expect(abs(trace.capacity(at: .zero + .milliseconds(200)) - 1e6) < 1)
        #expect(abs(trace.capacity(at: .zero + .milliseconds(300)) - 5e5) < 1)
        #expect(abs(trace.capacity(at: .zero + .milliseconds(400))) < 1)
        #expect(abs(trace.capacity(at: .zero + .milliseconds(402)) - 3e4) < 1)
        #expect(trace.service(from: .zero + .milliseconds(100)) == .zero + .milliseconds(100))
        #expect(trace.service(from: .zero + .milliseconds(201)) == .zero + .milliseconds(400))
    }
}

/// How a trace changes, from its capacity each 200 ms.
private struct TraceStatistics {
    /// The standard deviation over the mean.
    let scatter: Double
    /// The stalls of at least 100 ms, in seconds.
    let stops: [Double]
    private let deviations: [Double]

    init(_ trace: CapacityTrace) {
        let count = Int(trace.duration / CapacityTrace.window)
        let values = (1...count).map { trace.capacity(at: .zero + CapacityTrace.window * $0) }
        let mean = values.reduce(0, +) / Double(count)
        deviations = values.map { $0 - mean }
        scatter = (deviations.reduce(0) { $0 + $1 * $1 } / Double(count)).squareRoot() / mean
        stops = trace.rates.split { $0 > 0 }.map { Double($0.count) * CapacityTrace.slot.seconds }.filter { $0 >= 0.1 }
    }

    /// The autocorrelation after so many seconds.
    func correlation(after seconds: Int) -> Double {
        let shift = seconds * 5
        let square = deviations.reduce(0) { $0 + $1 * $1 } / Double(deviations.count)
        let product = zip(deviations, deviations.dropFirst(shift)).reduce(0) { $0 + $1.0 * $1.1 }
        return product / Double(deviations.count - shift) / square
    }
}
