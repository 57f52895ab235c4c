import RillCongestion

extension GoogleCongestionControl {
    /// The one-way delay gradient: the slope of the smoothed delay over the last 20 groups. It is the excess of the
    /// rate over the capacity, as a share of the capacity.
    struct Trendline {
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
}
