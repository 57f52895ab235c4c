extension GoogleCongestionControl {
    /// The link capacity: the acknowledged rate at overuse. Near it the rate rises slowly.
    struct LinkCapacity {
        /// In bits per second; `nil` while it is unknown.
        private(set) var estimate: Double?
        /// The variance over the estimate, in kilobits per second.
        private var variance = 0.4

        /// Three standard deviations around the estimate.
        var range: ClosedRange<Double> {
            guard let estimate else { return 0...Double.infinity }
            let reach = 3 * (variance * 1000 * estimate).squareRoot()
            return max(0, estimate - reach)...(estimate + reach)
        }

        mutating func reset() { estimate = nil }

        /// Records the acknowledged rate at an overuse, in bits per second.
        mutating func record(_ rate: Double) {
            let new = estimate.map { 0.95 * $0 + 0.05 * rate } ?? rate
            let error = (new - rate) / 1000
            variance = min(max(0.95 * variance + 0.05 * error * error / max(new / 1000, 1), 0.4), 2.5)
            estimate = new
        }
    }
}
