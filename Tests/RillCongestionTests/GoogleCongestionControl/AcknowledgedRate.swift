import RillCongestion

extension GoogleCongestionControl {
    /// The acknowledged rate, from windows of 150 ms that are weighted by their distance from the estimate, as in
    /// libwebrtc.
    struct AcknowledgedRate {
        /// The rate in bits per second; `nil` before the first window, of 500 ms.
        var bitsPerSecond: Double? { kilobits.map { $0 * 1000 } }

        private static let (firstWindow, window) = (500.0, 150.0)
        private var kilobits: Double?
        private var variance = 50.0
        private var byteCount = 0
        /// The elapsed part of the present window, in milliseconds.
        private var elapsed = 0.0
        private var last: MediaTime?

        /// Adds a packet, in the order of arrival.
        mutating func add(_ byteCount: Int, arrival: MediaTime) {
            let length = kilobits == nil ? Self.firstWindow : Self.window
            if let sample = sample(until: arrival, length: length) { update(sample) }
            self.byteCount += byteCount
        }

        private mutating func sample(until arrival: MediaTime, length: Double) -> Double? {
            let gap = (arrival - (last ?? arrival)).milliseconds
            last = arrival
            elapsed += gap
            if gap > length {
                byteCount = 0
                elapsed = elapsed.truncatingRemainder(dividingBy: length)
            }
            guard elapsed >= length else { return nil }
            defer { (byteCount, elapsed) = (0, elapsed - length) }
            return Double(byteCount * 8) / length
        }

        private mutating func update(_ sample: Double) {
            guard let kilobits else {
                kilobits = sample
                return
            }
            let uncertainty = 10 * abs(kilobits - sample) / max(kilobits, 1)
            let (scatter, predicted) = (uncertainty * uncertainty, variance + 5)
            self.kilobits = (scatter * kilobits + predicted * sample) / (scatter + predicted)
            variance = scatter * predicted / (scatter + predicted)
        }
    }
}
