import RillCore

/// Detects a queue that grows or drains from the one-way delay gradient, as Google's congestion control (GCC) does.
///
/// Packets that left within 5 ms, or that a queue released together, are a group. The delay of each group beyond that
/// of its predecessor is accumulated and smoothed, and the slope of the last 20 is the gradient: by how much more
/// arrives at the bottleneck than it carries, as a share of its capacity. An adaptive threshold tells a gradient from
/// noise.
///
/// A flow of Rill's uses it beside flows that are controlled by it (``Neighbor``): on the same evidence both back off.
///
/// Source: draft-ietf-rmcat-gcc-02, sections 5.1 to 5.4, with the trendline and the constants of libwebrtc.
struct DelayGradient: Sendable {
    enum Usage: Equatable, Sendable {
        case normal
        /// The queue grows.
        case overuse
        /// The queue drains.
        case underuse
    }

    /// Packets that belong together.
    private struct Group: Sendable {
        var firstSend, lastSend, firstArrival, lastArrival: MediaTime
    }

    private static let length: Int64 = 5_000_000
    private static let longestBurst: Int64 = 100_000_000
    private static let count = 20
    private static let smoothing = 0.9
    private static let gain = 4.0
    private static let mostSamples = 60.0
    /// Gradients further than this above the threshold are spikes, to which it does not adapt.
    private static let farthest = 15.0
    private static let thresholds = 6.0...600
    /// The rates at which the threshold follows a larger and a smaller gradient, per millisecond.
    private static let (up, down) = (0.0087, 0.039)
    /// The time of overuse before it counts, in milliseconds.
    private static let shortestOveruse = 10.0

    private(set) var usage = Usage.normal
    private var threshold = 12.5
    private var current: Group?
    private var previous: Group?
    private var reorderedCount = 0
    /// The smoothed delays of the last groups, in a ring, and the arrival of each, in milliseconds.
    private var points: InlineArray<20, (time: Double, delay: Double)> = .init(repeating: (0, 0))
    private var pointCount = 0
    private var first: MediaTime?
    private var (sum, smoothed) = (0.0, 0.0)
    private var lastTrend = 0.0
    private var overuse: (time: Double, count: Int)?
    private var lastArrival: MediaTime?

    /// Adds a packet that arrived, in the order of sending.
    mutating func add(_ sendTime: MediaTime, arrival: MediaTime) {
        guard let group = current else {
            current = Group(firstSend: sendTime, lastSend: sendTime, firstArrival: arrival, lastArrival: arrival)
            return
        }
        guard sendTime >= group.firstSend else { return }
        let sendGap = sendTime.nanoseconds &- group.lastSend.nanoseconds
        let arrivalGap = arrival.nanoseconds &- group.lastArrival.nanoseconds
        let isBurst =
            sendGap == 0
            || arrivalGap < sendGap && arrivalGap <= DelayGradient.length
                && arrival.nanoseconds &- group.firstArrival.nanoseconds < DelayGradient.longestBurst
        if isBurst || sendTime.nanoseconds &- group.firstSend.nanoseconds <= DelayGradient.length {
            current?.lastSend = max(group.lastSend, sendTime)
            current?.lastArrival = arrival
            return
        }
        finish(group)
        guard current != nil else { return }
        current = Group(firstSend: sendTime, lastSend: sendTime, firstArrival: arrival, lastArrival: arrival)
    }

    /// Compares a group with its predecessor.
    private mutating func finish(_ group: Group) {
        defer { previous = group }
        guard let previous else { return }
        let send = Double(group.lastSend.nanoseconds &- previous.lastSend.nanoseconds) / 1e6
        let arrival = Double(group.lastArrival.nanoseconds &- previous.lastArrival.nanoseconds) / 1e6
        guard arrival >= 0, arrival < 2000 else {
            reorderedCount += 1
            if reorderedCount >= 3 || arrival >= 2000 { self = DelayGradient() }
            return
        }
        reorderedCount = 0
        update(delay: arrival - send, sendDelta: send, at: group.lastArrival)
    }

    private mutating func update(delay: Double, sendDelta: Double, at now: MediaTime) {
        let start = first ?? now
        first = start
        sum += delay
        smoothed = DelayGradient.smoothing * smoothed + (1 - DelayGradient.smoothing) * sum
        points[pointCount % DelayGradient.count] = (Double(now.nanoseconds &- start.nanoseconds) / 1e6, smoothed)
        pointCount += 1
        let trend = pointCount < DelayGradient.count ? lastTrend : slope
        let amplified = min(Double(pointCount), DelayGradient.mostSamples) * trend * DelayGradient.gain
        if amplified > threshold {
            // Half of the time before the first sample counts.
            overuse = overuse.map { ($0.time + sendDelta, $0.count + 1) } ?? (sendDelta / 2, 1)
            if let found = overuse, found.time > DelayGradient.shortestOveruse, found.count > 1, trend >= lastTrend {
                (overuse, usage) = ((0, 0), .overuse)
            }
        } else {
            (overuse, usage) = (nil, amplified < -threshold ? .underuse : .normal)
        }
        lastTrend = trend
        adapt(to: abs(amplified), at: now)
    }

    /// The slope of the least-squares line through the last points.
    private var slope: Double {
        let count = Double(DelayGradient.count)
        var (time, delay) = (0.0, 0.0)
        for index in points.indices {
            time += points[index].time
            delay += points[index].delay
        }
        (time, delay) = (time / count, delay / count)
        var (square, product) = (0.0, 0.0)
        for index in points.indices {
            let distance = points[index].time - time
            square += distance * distance
            product += distance * (points[index].delay - delay)
        }
        return square > 0 ? product / square : lastTrend
    }

    private mutating func adapt(to size: Double, at now: MediaTime) {
        let elapsed = lastArrival.map { min(Double(now.nanoseconds &- $0.nanoseconds) / 1e6, 100) } ?? 0
        lastArrival = now
        guard size <= threshold + DelayGradient.farthest else { return }
        let step = (size < threshold ? DelayGradient.down : DelayGradient.up) * (size - threshold) * elapsed
        threshold = min(max(threshold + step, DelayGradient.thresholds.lowerBound), DelayGradient.thresholds.upperBound)
    }
}
