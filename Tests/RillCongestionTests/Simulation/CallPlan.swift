import RillCongestion
import RillCore

/// The plan of a simulated call: a bottleneck, the flows that share it, and events.
struct CallPlan: Sendable {
    var seconds: Int
    /// The forward direction in the link's notation, without queue, delay and seed: `rate=1M,loss=1%`.
    var forward: String
    /// The reverse direction of each flow, without seed.
    var back = "rate=10M,delay=50ms"
    /// The queue's limit in the link's notation.
    var queue = "300ms"
    /// The delay of the forward direction.
    var delay = "50ms"
    /// The capacity of the bottleneck, in bits per second.
    var capacity: @Sendable (MediaTime) -> Double
    var flows = [FlowPlan()]
    /// Traffic at a constant bitrate through the same queue.
    var cross: CrossTraffic?
    /// The same on the reverse path of the first flow.
    var crossBack: CrossTraffic?
    /// From then on the first flow takes another path.
    var change: PathChange?

    /// A plan for one rate.
    init(_ seconds: Int, rate: Double, _ more: String = "") {
        self.seconds = seconds
        forward = "rate=\(Int(rate))" + (more.isEmpty ? "" : "," + more)
        capacity = { _ in rate }
    }

    /// A plan for a rate that steps: the rates in bits per second, and the second from which each holds.
    init(_ seconds: Int, steps: [(rate: Double, from: Int)]) {
        self.seconds = seconds
        forward =
            "rate="
            + steps.map { $0.from == 0 ? "\(Int($0.rate))" : "\(Int($0.rate))@\($0.from)s" }.joined(separator: "/")
        let steps = steps.map { (rate: $0.rate, from: MediaTime.zero + .seconds($0.from)) }
        capacity = { time in (steps.last { $0.from <= time } ?? steps[0]).rate }
    }

    /// A plan for any link.
    init(_ seconds: Int, link: String, capacity: @escaping @Sendable (MediaTime) -> Double) {
        (self.seconds, forward, self.capacity) = (seconds, link, capacity)
    }

    func with(_ change: (inout CallPlan) -> Void) -> CallPlan {
        var copy = self
        change(&copy)
        return copy
    }
}

/// One sender and its receiver.
struct FlowPlan: Sendable {
    var start = 0.0
    var end = Double.infinity
    /// The delay of its frames against the clock, in seconds; drawn from the seed by default, except for the first
    /// flow.
    var phase: Double?
    var maximum = Bitrate.kilobits(2500)
    /// The app's maximum bitrate by time, in bits per second; 0 while it is muted.
    var appLimit: @Sendable (MediaTime) -> Double = { _ in .infinity }
    /// Whether the picture has scene cuts, every three seconds.
    var hasScenes = true
    /// Makes its rate controller; by default a ``BandwidthEstimate``.
    var controller: (@Sendable () -> any RateController)?
    /// Whether packets may leave in bursts, if the controller allows it.
    var isBursting = true
    /// Whether the sender sends the probe clusters of the controller.
    var isProbing = true
    /// Changes feedback on its way, as a receiver that forges reports.
    var forge: (@Sendable (inout [UInt8], inout SeededGenerator) -> Void)?
}

/// Packets of one size at a constant bitrate.
struct CrossTraffic: Sendable {
    var rate: Double
    var byteCount = 200
    var start = 0.0
    var end = Double.infinity

    var interval: MediaDuration { .seconds(Double(byteCount * 8) / rate) }
}

/// A path that takes over, as after an ICE restart.
struct PathChange: Sendable {
    var time: Double
    var forward: String
    var back: String
    var capacity: Double
    /// Whether the sender is notified.
    var isNotified = true
}
