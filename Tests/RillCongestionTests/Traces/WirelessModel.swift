import RillCore

#if canImport(Glibc)
import Glibc
#endif

/// Models of wireless links, from which seeded traces are drawn.
///
/// They are models, not recordings: published statistics give the kinds of change and their scales, and the numbers
/// below are ours.
///
/// - LTE: the rate wanders (Winstein et al., "Stochastic Forecasts Achieve High Throughput and Low Delay over Cellular
///   Networks", NSDI 2013, model it as a Brownian motion with a separate state for outages and random deliveries;
///   Netravali et al., "Mahimahi", USENIX ATC 2015, has such traces). Here its logarithm is the sum of a slow process
///   (shadows, cell load: 5 s) and a fast one (fading, other users: 0.7 s). Fades divide it by 2.5 to 7 for 0.5 to 3 s.
///   Outages of 100 to 700 ms are handovers and lost signal (Han et al., "Measurement and Stochastic Modeling of
///   Handover Delay and Interruption Time", IEEE Communications Magazine 2015); after one the cell is another. The
///   scheduler serves half of the slots, at random.
/// - Slow LTE: the same, at 0.3 to 1.2 Mbit/s: the edge of a cell.
/// - Wi-Fi: rate adaptation moves along the eight rates of one 802.11n stream, around one that suits the place. Other
///   stations take their share of the air in bursts of 0.2 to 3 s. The station waits for the channel, with the heavy
///   tail that Sui et al., "Characterizing and Improving WiFi Latency in Large-Scale Operational Networks", MobiSys
///   2016, measured: P(wait > x) = 10 ms / x up to 250 ms.
enum WirelessModel: String, CaseIterable, Sendable {
    case lte = "LTE"
    case slowLTE = "slow LTE"
    case wifi = "Wi-Fi"

    /// The range of the mean rates of traces, in bits per second.
    var means: ClosedRange<Double> {
        switch self {
        case .lte: 2e6...6e6
        case .slowLTE: 3e5...1.2e6
        case .wifi: 3e6...15e6
        }
    }

    /// Draws a trace of 60 to 120 s. The same seed gives the same trace.
    func trace(seed: UInt64) -> CapacityTrace {
        var generator = SeededGenerator(seed: seed &* 1000 &+ UInt64(Self.allCases.firstIndex(of: self) ?? 0))
        let seconds = Double.random(in: 60...120, using: &generator)
        let mean = generator.between(means)
        let count = Int(seconds / CapacityTrace.slot.seconds)
        let shape =
            self == .wifi
            ? Self.wifiShape(count, using: &generator) : Self.cellularShape(count, using: &generator)
        let scale = mean * Double(count) / shape.reduce(0, +)
        return CapacityTrace(rates: shape.map { $0 * scale })
    }

    // MARK: LTE

    /// Rates without a unit.
    private static func cellularShape(_ count: Int, using generator: inout SeededGenerator) -> [Double] {
        let step = CapacityTrace.slot.seconds
        var slow = Wander(deviation: 0.35, seconds: 5, using: &generator)
        var fast = Wander(deviation: 0.25, seconds: 0.7, using: &generator)
        var fade = Interruption(interval: 25, lengths: 0.5...3)
        var outage = Interruption(interval: 30, lengths: 0.1...0.7)
        var (depth, level, rate) = (1.0, 0.0, 1.0)
        return (0..<count).map { index in
            if fade.advance(step, using: &generator) { depth = Double.random(in: 0.15...0.4, using: &generator) }
            if outage.advance(step, using: &generator) {
                slow = Wander(deviation: 0.35, seconds: 5, using: &generator)
            }
            if index % 4 == 0 {
                slow.advance(4 * step, using: &generator)
                fast.advance(4 * step, using: &generator)
                // A fade comes and goes within 300 ms.
                level += ((fade.isOn ? log(depth) : 0) - level) * 4 * step / 0.1
                rate = exp(slow.value + fast.value + level)
            }
            let isServed = Bool.random(using: &generator)
            return isServed && !outage.isOn ? 2 * rate : 0
        }
    }

    // MARK: Wi-Fi

    /// The rates of one spatial stream in 20 MHz, in Mbit/s.
    private static let ladder = [6.5, 13, 19.5, 26, 39, 52, 58.5, 65]

    private static func wifiShape(_ count: Int, using generator: inout SeededGenerator) -> [Double] {
        let step = CapacityTrace.slot.seconds
        let home = Int.random(in: 3...7, using: &generator)
        var rung = home
        var contention = Interruption(interval: 8, lengths: 0.2...3)
        var wait = Interruption(interval: 2, lengths: 0.01...0.25, hasHeavyTail: true)
        var share = 1.0
        return (0..<count).map { _ in
            // A step each two seconds, two of three times towards home.
            if generator.unitInterval() < step / 2 {
                let isHomeward = generator.unitInterval() < 0.67
                rung += (rung < home) == isHomeward ? 1 : -1
                rung = min(max(rung, 0), ladder.count - 1)
            }
            if contention.advance(step, using: &generator) {
                share = 1 / Double(Int.random(in: 2...6, using: &generator))
            }
            _ = wait.advance(step, using: &generator)
            return wait.isOn ? 0 : ladder[rung] * (contention.isOn ? share : 1)
        }
    }
}

/// A value that wanders around zero: an Ornstein-Uhlenbeck process.
private struct Wander {
    private(set) var value: Double
    private let deviation: Double
    /// The correlation time: its autocorrelation falls by e.
    private let seconds: Double

    init(deviation: Double, seconds: Double, using generator: inout SeededGenerator) {
        (self.deviation, self.seconds) = (deviation, seconds)
        value = deviation * generator.gaussian()
    }

    mutating func advance(_ step: Double, using generator: inout SeededGenerator) {
        let kept = exp(-step / seconds)
        value = kept * value + deviation * (1 - kept * kept).squareRoot() * generator.gaussian()
    }
}

/// An event that starts at random times and lasts for a random time.
private struct Interruption {
    /// The mean time until it starts, in seconds.
    let interval: Double
    /// Its duration, in seconds.
    let lengths: ClosedRange<Double>
    /// Whether P(length > x) falls with 1/x; otherwise all orders of magnitude are equally likely.
    var hasHeavyTail = false
    private var rest = 0.0

    init(interval: Double, lengths: ClosedRange<Double>, hasHeavyTail: Bool = false) {
        (self.interval, self.lengths, self.hasHeavyTail) = (interval, lengths, hasHeavyTail)
    }

    var isOn: Bool { rest > 0 }

    /// Advances by a time, and returns whether the event starts.
    mutating func advance(_ step: Double, using generator: inout SeededGenerator) -> Bool {
        let draw = generator.unitInterval()
        guard !isOn else {
            rest -= step
            return false
        }
        guard draw < step / interval else { return false }
        let (low, high) = (lengths.lowerBound, lengths.upperBound)
        rest =
            hasHeavyTail
            ? low * high / (high - generator.unitInterval() * (high - low)) : generator.between(lengths)
        return true
    }
}

extension SeededGenerator {
    /// A number of a range of positive ones; each ratio is equally likely.
    fileprivate mutating func between(_ range: ClosedRange<Double>) -> Double {
        range.lowerBound * pow(range.upperBound / range.lowerBound, unitInterval())
    }

    /// A number around zero with the deviation 1: a sum of twelve uniform ones.
    fileprivate mutating func gaussian() -> Double { (0..<12).reduce(-6) { sum, _ in sum + unitInterval() } }
}
