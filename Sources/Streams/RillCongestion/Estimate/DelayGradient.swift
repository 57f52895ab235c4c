import RillCore

/// Detects a queue that grows or drains from the one-way delay gradient, as Google's congestion control (GCC) does.
///
/// The delay of each group of packets beyond that of its predecessor is accumulated and smoothed. The slope of the last
/// 20 is the gradient: by how much more arrives at the bottleneck than it carries, as a share of its capacity. An
/// adaptive threshold tells a gradient from noise.
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

    var usage: Usage { detector.usage }

    private var groups = PacketGroups()
    private var trendline = Trendline()
    private var detector = OveruseDetector()
    private var last: (sent: MediaTime, arrival: MediaTime)?

    /// Times that are further apart, in nanoseconds, reset it: what was measured before says nothing more. A receiver
    /// may report any time.
    private static let memory: UInt64 = 2_000_000_000

    /// Adds a packet, in the order of arrival.
    mutating func add(_ sendTime: MediaTime, arrival: MediaTime) {
        if let last {
            let sent = (sendTime.nanoseconds &- last.sent.nanoseconds).magnitude
            let arrived = (arrival.nanoseconds &- last.arrival.nanoseconds).magnitude
            if max(sent, arrived) > DelayGradient.memory { self = DelayGradient() }
        }
        last = (sendTime, arrival)
        guard let delta = groups.add(sendTime, arrival: arrival) else { return }
        let trend = trendline.add(delta.arrival - delta.send, arrival: arrival)
        detector.update(trend: trend, sendDelta: delta.send, arrival: arrival)
    }
}

extension DelayGradient {
    /// Groups packets that were sent within 5 ms, or that a queue released together, and compares each group with its
    /// predecessor.
    ///
    /// Source: draft-ietf-rmcat-gcc-02, sections 5.1 and 5.2.
    struct PacketGroups: Sendable {
        /// The differences of send and arrival times between a group and its predecessor.
        struct Delta: Equatable, Sendable {
            var send: MediaDuration
            var arrival: MediaDuration
        }

        private struct Group: Sendable {
            var firstSend: MediaTime
            var lastSend: MediaTime
            var firstArrival: MediaTime
            var lastArrival: MediaTime
        }

        private static let length = MediaDuration.milliseconds(5)
        private static let longestBurst = MediaDuration.milliseconds(100)
        private var current: Group?
        private var previous: Group?
        private var reorderedCount = 0

        /// Adds a packet, in the order of arrival.
        ///
        /// - Returns: when the packet starts a group, the delta between the two groups before it.
        mutating func add(_ sendTime: MediaTime, arrival: MediaTime) -> Delta? {
            let alone = Group(firstSend: sendTime, lastSend: sendTime, firstArrival: arrival, lastArrival: arrival)
            guard let group = current else {
                current = alone
                return nil
            }
            guard sendTime >= group.firstSend else { return nil }
            guard !belongs(sendTime, arrival, to: group) else {
                current?.lastSend = max(group.lastSend, sendTime)
                current?.lastArrival = arrival
                return nil
            }
            var delta: Delta?
            if let previous {
                let found = Delta(
                    send: group.lastSend - previous.lastSend, arrival: group.lastArrival - previous.lastArrival)
                guard found.arrival >= .zero else {
                    reorderedCount += 1
                    if reorderedCount >= 3 { self = PacketGroups() }
                    return nil
                }
                reorderedCount = 0
                delta = found
            }
            (previous, current) = (group, alone)
            return delta
        }

        private func belongs(_ sendTime: MediaTime, _ arrival: MediaTime, to group: Group) -> Bool {
            let (sendGap, arrivalGap) = (sendTime - group.lastSend, arrival - group.lastArrival)
            let isBurst =
                sendGap == .zero
                || arrivalGap < sendGap && arrivalGap <= Self.length
                    && arrival - group.firstArrival < Self.longestBurst
            return isBurst || sendTime - group.firstSend <= Self.length
        }
    }

    /// The one-way delay gradient: the slope of the smoothed delay over the last 20 groups. It is the excess of the
    /// rate over the capacity, as a share of the capacity.
    struct Trendline: Sendable {
        private static let count = 20
        private static let smoothing = 0.9
        private var points: [(time: Double, delay: Double)] = []
        private var first: MediaTime?
        private var (sum, smoothed) = (0.0, 0.0)
        private var slope = 0.0

        /// Adds a group.
        ///
        /// - Parameters:
        ///   - delay: its delay beyond that of its predecessor.
        ///   - arrival: the arrival time of the packet that ended it.
        /// - Returns: the slope; zero for fewer than 20 groups.
        mutating func add(_ delay: MediaDuration, arrival: MediaTime) -> Double {
            let first = first ?? arrival
            self.first = first
            sum += delay.milliseconds
            smoothed = Self.smoothing * smoothed + (1 - Self.smoothing) * sum
            points.append(((arrival - first).milliseconds, smoothed))
            if points.count > Self.count { points.removeFirst() }
            guard points.count == Self.count else { return slope }
            let count = Double(points.count)
            let time = points.reduce(0) { $0 + $1.time } / count
            let delay = points.reduce(0) { $0 + $1.delay } / count
            let square = points.reduce(0) { $0 + ($1.time - time) * ($1.time - time) }
            let product = points.reduce(0) { $0 + ($1.time - time) * ($1.delay - delay) }
            if square > 0 { slope = product / square }
            return slope
        }
    }

    /// Compares the delay gradient with an adaptive threshold, which follows the gradient slowly upwards and fast
    /// downwards.
    ///
    /// Source: draft-ietf-rmcat-gcc-02, section 5.4.
    struct OveruseDetector: Sendable {
        private(set) var usage = Usage.normal
        /// The threshold of the amplified gradient, in milliseconds.
        private(set) var threshold = 12.5

        private static let gain = 4.0
        /// Gradients further than this above the threshold are spikes, to which it does not adapt.
        private static let farthest = 15.0
        private static let range = 6.0...600
        private static let (up, down) = (0.0087, 0.039)
        private var count = 0
        /// The time for which the gradient has exceeded the threshold, in milliseconds.
        private var overuse: Double?
        private var overuseCount = 0
        private var lastTrend = 0.0
        private var lastTime: MediaTime?

        /// Updates the state with the gradient after a group.
        mutating func update(trend: Double, sendDelta: MediaDuration, arrival: MediaTime) {
            count = min(count + 1, 1000)
            guard count >= 2 else { return }
            let amplified = Double(min(count, 60)) * trend * Self.gain
            if amplified > threshold {
                // Half of the time before the first sample counts.
                overuse = overuse.map { $0 + sendDelta.milliseconds } ?? sendDelta.milliseconds / 2
                overuseCount += 1
                if let time = overuse, time > 10, overuseCount > 1, trend >= lastTrend {
                    (overuse, overuseCount, usage) = (0, 0, .overuse)
                }
            } else {
                (overuse, overuseCount, usage) = (nil, 0, amplified < -threshold ? .underuse : .normal)
            }
            lastTrend = trend
            adapt(to: abs(amplified), at: arrival)
        }

        private mutating func adapt(to size: Double, at arrival: MediaTime) {
            let elapsed = min((arrival - (lastTime ?? arrival)).milliseconds, 100)
            lastTime = arrival
            guard size <= threshold + Self.farthest else { return }
            let step = (size < threshold ? Self.down : Self.up) * (size - threshold) * elapsed
            threshold = min(max(threshold + step, Self.range.lowerBound), Self.range.upperBound)
        }
    }
}
