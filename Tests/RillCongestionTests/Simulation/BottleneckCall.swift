import RillCongestion
import RillTestSupport

/// A single sender of synthetic frames over an emulated bottleneck, in virtual time.
struct BottleneckCall {
    let call: SimulatedCall
    var rates: [(time: MediaTime, rate: Int)] { call.flows[0].rates }
    var cutCount: Int { call.flows[0].estimate.cutCount }
    var framesSkipped: Int { call.flows[0].framesSkipped }

    /// Runs a call.
    ///
    /// - Parameters:
    ///   - link: the forward direction, as `rate=1M`; queue and delay are added.
    ///   - controller: the rate controller.
    init(
        link: String, seconds: Int, seed: UInt64,
        controller: some RateController = BandwidthEstimate(
            start: .kilobits(300), range: .kilobits(50) ... .kilobits(2500)),
        capacity: @escaping @Sendable (MediaTime) -> Double
    ) throws {
        var plan = CallPlan(seconds, link: link, capacity: capacity)
        plan.flows[0].controller = { controller }
        call = try SimulatedCall(plan, seed: seed)
    }

    /// Accepted bytes over capacity.
    func utilization(_ from: Int, _ to: Int, of capacity: Double) -> Double {
        call.utilization(Double(from), Double(to))
    }

    /// The mean and the 95th percentile of the wait, in milliseconds.
    func wait(_ from: Int, _ to: Int) -> (mean: Double, p95: Double) {
        let wait = call.wait(Double(from), Double(to))
        return (wait.mean, wait.p95All)
    }

    func lossShare(_ from: Int, _ to: Int) -> Double { call.lossShare(Double(from), Double(to)) }

    /// When the rate first exceeds a share of a capacity after a time, in seconds after that.
    func time(toReach rate: Double, after start: Int) -> Double? {
        let time = call.time(toReach: rate, after: Double(start))
        return time == 99 ? nil : time
    }
}
