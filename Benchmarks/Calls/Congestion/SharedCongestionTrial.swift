import Arguments
import Rill
import RillCodec
import RillCore
import RillLab
import RillLink

/// Calls whose bitrates follow one bottleneck that they share, in virtual time with encoders and decoders.
enum SharedCongestionTrial {
    /// Flows behind one queue.
    struct Case {
        var name: String
        /// When each flow begins and ends, in seconds.
        var flows: [(from: Int, to: Int)]
        /// The window of the steady state, in seconds.
        var window: (from: Int, to: Int)
        /// The cross traffic at the bottleneck.
        var others = ""
    }

    /// Bits per second.
    static let capacity = 3e6

    static let cases = [
        Case(name: "two flows", flows: [(0, 90), (15, 90)], window: (45, 90)),
        Case(name: "three flows", flows: [(0, 100), (20, 120), (40, 80)], window: (50, 80)),
        Case(name: "beside CUBIC", flows: [(0, 90)], window: (45, 90), others: ",cubic=100ms@10s"),
    ]

    /// Makes the calls, and prints a line of JSON.
    static func run(_ arguments: Arguments) throws {
        let name = try arguments["case"]
        guard let trial = cases.first(where: { $0.name == name }) else {
            throw WrongUse("no case \(name): \(cases.map(\.name).joined(separator: ", "))")
        }
        let (seed, path) = (UInt64(try arguments.number("seed") ?? 1), try arguments["clip"])
        let shared = try LinkSettings(notation: "rate=3M,headers=28,queue=drain/300ms\(trial.others)").seeded(seed)
        guard let bottleneck = Bottleneck(shared) else { throw WrongUse("\(shared) has no rate") }
        let cuts = try ClipCuts(path: path)
        var (logs, random) = ([CongestionLog](), SeededGenerator(seed: seed))
        let calls = try trial.flows.enumerated().map { index, flow in
            let phase = MediaDuration.microseconds(Int.random(in: 0..<33_333, using: &random))
            let source = try LoopedClip(path: path, seconds: flow.to, from: flow.from, phase: phase)
            let log = CongestionLog(cuts: cuts)
            log.clipStart = .zero + .seconds(flow.from)
            logs.append(log)
            let settings = try settings(of: source, seed: 10 * seed + UInt64(index))
            return (simulation: CallSimulation(settings, observer: log), source: source as any FrameSource)
        }
        try CallSimulation.run(calls, through: bottleneck)
        try CongestionTrial.print(SharedCongestionResult(trial, logs, seed: seed))
    }

    private static func settings(of source: LoopedClip, seed: UInt64) throws -> CallSettings {
        let forward = try LinkSettings(notation: "headers=28,delay=50ms").seeded(seed)
        var settings = CallSettings(layers: CongestionTrial.layers(of: source), network: forward)
        settings.returnNetwork = try LinkSettings(notation: "rate=10M,headers=28,delay=50ms").seeded(seed + 1000)
        settings.congestion = CongestionTrial.congestion
        settings.encodeTime = .milliseconds(10)
        settings.decodeTime = .milliseconds(5)
        return settings
    }
}

/// The results of flows behind one queue, one line of JSON.
struct SharedCongestionResult: Codable {
    var name: String
    var seed: UInt64
    var flows: [Flow] = []
    /// Jain's index of the flows' utilisations in the window; 1 is fair.
    var fairness = 0.0
    /// The mean wait of all in the window, in ms.
    var waitMean = 0.0

    struct Flow: Codable {
        /// Its share of the capacity in the window, with headers.
        var utilization = 0.0
        /// That of the payload of shown frames.
        var payload = 0.0
        /// The longest time in seconds in which it got less than half of a fair share, judged second by second.
        var belowHalf = 0
        /// The 95th percentile of the wait from five seconds after its beginning, without the second after each cut of
        /// the clip, in ms.
        var wait95 = 0.0
        /// The lowest rate of pictures of the low layer in five seconds, and of the high layer.
        var lowRate = 0.0
        var highRate = 0.0
    }

    init(_ trial: SharedCongestionTrial.Case, _ logs: [CongestionLog], seed: UInt64) {
        (name, self.seed) = (trial.name, seed)
        let (from, to) = (Double(trial.window.from), Double(trial.window.to))
        let bits = SharedCongestionTrial.capacity * (to - from)
        for (log, span) in zip(logs, trial.flows) {
            var flow = Flow()
            flow.utilization = Double(log.acceptedBytes(from: from, to: to) * 8) / bits
            let shown = log.layers.flatMap(\.frames).filter {
                $0.shownAt != nil && $0.captureTime.seconds >= from && $0.captureTime.seconds < to
            }
            flow.payload = Double(shown.reduce(0) { $0 + $1.byteCount * 8 }) / bits
            flow.belowHalf = Self.longestBelowHalf(log, span, among: trial.flows)
            let calm = log.waits(from: Double(span.from) + 5, to: Double(span.to)).filter { !log.isNearCut($0.time) }
            flow.wait95 = log.percentile(95, of: calm.map(\.wait))
            flow.lowRate = Self.lowestRate(log.layers[1], span)
            flow.highRate = Self.lowestRate(log.layers[0], span)
            flows.append(flow)
        }
        let (sum, squares) = flows.reduce((0.0, 0.0)) {
            ($0.0 + $1.utilization, $0.1 + $1.utilization * $1.utilization)
        }
        fairness = sum * sum / (Double(flows.count) * squares)
        let waits = logs.flatMap { $0.waits(from: from, to: to) }
        waitMean = waits.reduce(0) { $0 + $1.wait } / Double(max(1, waits.count))
    }

    private static func longestBelowHalf(
        _ log: CongestionLog, _ span: (from: Int, to: Int), among flows: [(from: Int, to: Int)]
    ) -> Int {
        var (longest, current) = (0, 0)
        for second in span.from..<span.to {
            let count = flows.count { $0.from <= second && second < $0.to }
            let half = SharedCongestionTrial.capacity / Double(2 * count)
            let got = Double(log.acceptedBytes(from: Double(second), to: Double(second + 1)) * 8)
            current = got < half ? current + 1 : 0
            longest = max(longest, current)
        }
        return longest
    }

    /// The lowest number of pictures a second in any five seconds from the third on.
    private static func lowestRate(_ layer: CongestionLog.Layer, _ span: (from: Int, to: Int)) -> Double {
        let times = layer.shown.map(\.seconds)
        return (span.from + 3...span.to - 5).map { start in
            Double(times.count { $0 >= Double(start) && $0 < Double(start + 5) }) / 5
        }.min() ?? 0
    }
}
