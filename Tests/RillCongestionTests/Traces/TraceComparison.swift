import RillCongestion
import RillLink

/// Controllers on the same traces, seed by seed.
struct TraceComparison: Sendable {
    /// A controller, and its figures by trace.
    struct Row: Sendable {
        let contender: Contender
        var figures: [TraceFigures] = []

        func values(_ path: KeyPath<TraceFigures, Double>) -> [Double] { figures.map { $0[keyPath: path] } }
    }

    enum Contender: Hashable, Sendable {
        /// ``BandwidthEstimate``.
        case rill
        /// GCC with a pacing gain, in tenths.
        case google(Int)
        /// A fixed bitrate in kbit/s.
        case fixed(Int)

        var name: String {
            switch self {
            case .rill: "Rill"
            case .google(let factor): "plain GCC \(factor / 10).\(factor % 10)"
            case .fixed(let rate): "\(rate) kbit/s"
            }
        }

        static let all: [Contender] = [.rill, .google(25), .google(11), .fixed(300), .fixed(800), .fixed(1500)]
    }

    let model: WirelessModel
    let targets: TraceTargets
    private(set) var rows: [Row]

    private static let range = Bitrate.kilobits(50)...TraceFigures.maximum

    /// Runs every contender over the traces of the seeds.
    init(_ model: WirelessModel, _ targets: TraceTargets, seeds: ClosedRange<UInt64>, contenders: [Contender]) throws {
        (self.model, self.targets) = (model, targets)
        rows = contenders.map { Row(contender: $0) }
        for seed in seeds {
            let trace = model.trace(seed: seed)
            let usable = TraceFigures.usableBits(of: trace)
            for index in rows.indices {
                let call = try Self.call(rows[index].contender, on: trace, targets.queue, seed: seed)
                rows[index].figures.append(TraceFigures(call, of: usable))
            }
        }
    }

    /// Runs a call.
    static func call(
        _ contender: Contender, on trace: CapacityTrace, _ queue: QueueLimit, seed: UInt64
    ) throws -> TraceCall {
        switch contender {
        case .rill:
            return try TraceCall(
                trace, queue: queue, seed: seed, controller: BandwidthEstimate(start: .kilobits(300), range: range))
        case .google(let factor):
            // It has no probes: it starts at the rate that they would find.
            let start = Bitrate(bitsPerSecond: Int(min(max(0.7 * trace.mean, 3e5), 2e6)))
            let controller = GoogleCongestionControl(start: start, range: range, pacingFactor: Double(factor) / 10)
            return try TraceCall(trace, queue: queue, seed: seed, controller: controller)
        case .fixed(let rate):
            return try TraceCall(trace, queue: queue, seed: seed, controller: FixedRate(rate: .kilobits(rate)))
        }
    }

    func row(_ contender: Contender) -> Row? { rows.first { $0.contender == contender } }

    /// The traces on which the wait of a contender is above the target.
    func waitMisses(_ contender: Contender) -> Int {
        row(contender)?.values(\.wait).count { $0 > targets.wait } ?? 0
    }

    /// The mean of all traces.
    func meanUtilization(_ contender: Contender) -> Double {
        let values = row(contender)?.values(\.utilization) ?? []
        return values.reduce(0, +) / Double(max(1, values.count))
    }

    /// The traces on which Rill uses less than a plain GCC, and the largest difference.
    func utilizationMisses(against contender: Contender) -> (count: Int, worst: Double) {
        guard let rill = row(.rill), let other = row(contender) else { return (0, 0) }
        let lacks = zip(other.values(\.utilization), rill.values(\.utilization)).map { $0 - $1 }
        return (lacks.count { $0 > 0 }, lacks.max() ?? 0)
    }
}
