import RillCongestion

extension GoogleCongestionControl {
    /// Compares the delay gradient with an adaptive threshold, which follows the gradient slowly upwards and fast
    /// downwards.
    ///
    /// Source: draft-ietf-rmcat-gcc-02, section 5.4.
    struct OveruseDetector {
        enum Usage: Equatable {
            case normal
            /// The queue grows.
            case overuse
            /// The queue drains.
            case underuse
        }

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
