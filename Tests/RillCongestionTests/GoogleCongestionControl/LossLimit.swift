import RillCongestion

extension GoogleCongestionControl {
    /// The loss-based limit: below 2 % the rate may rise by 8 % a second, above 10 % it falls by half of the loss
    /// fraction.
    ///
    /// Source: draft-ietf-rmcat-gcc-02, section 6.
    struct LossLimit {
        /// In bits per second.
        var rate: Double

        private var (lostCount, count) = (0, 0)
        /// The loss fraction of the last second of reports.
        private var share = 0.0
        private var hasDecreased = false
        private var firstUpdate: MediaTime?
        private var lastReport: MediaTime?
        private var lastDecrease: MediaTime?
        /// The rates of the last second.
        private var recent: [(time: MediaTime, rate: Double)] = []

        init(start: Double) { rate = start }

        mutating func record(isLost: Bool) {
            count += 1
            if isLost { lostCount += 1 }
        }

        /// Moves the rate.
        ///
        /// - Parameters:
        ///   - limit: the delay-based limit, in bits per second.
        ///   - roundTrip: the RTT.
        ///   - now: the arrival time of the feedback.
        mutating func update(limit: Double, roundTrip: MediaDuration, at now: MediaTime) {
            let start = firstUpdate ?? now
            firstUpdate = start
            takeReport(at: now)
            recent.removeAll { now - $0.time >= .seconds(1) }
            recent.append((now, rate))
            if now - start < .seconds(2), share == 0 {
                rate = max(rate, limit)
                recent.removeAll()
            } else if lastReport != nil {
                move(roundTrip: roundTrip, at: now)
            }
            rate = min(rate, limit)
        }

        /// Computes the loss fraction, once a second and of at least 20 packets.
        private mutating func takeReport(at now: MediaTime) {
            guard now - (lastReport ?? firstUpdate ?? now) >= .seconds(1), count >= 20 else { return }
            share = Double(lostCount) / Double(count)
            (lostCount, count, lastReport, hasDecreased) = (0, 0, now, false)
        }

        private mutating func move(roundTrip: MediaDuration, at now: MediaTime) {
            if share <= 0.02 {
                let lowest = recent.reduce(rate) { min($0, $1.rate) }
                rate = max(rate, lowest * 1.08 + 1000)
            } else if share > 0.1, !hasDecreased,
                lastDecrease.map({ now - $0 >= .milliseconds(300) + roundTrip }) ?? true
            {
                rate *= 1 - share / 2
                (lastDecrease, hasDecreased) = (now, true)
            }
        }
    }
}
