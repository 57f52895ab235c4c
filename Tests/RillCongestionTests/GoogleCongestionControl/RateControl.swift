@testable import RillCongestion

#if canImport(Glibc)
import Glibc
#endif

extension GoogleCongestionControl {
    /// AIMD: additive or multiplicative increase, multiplicative decrease.
    ///
    /// Source: draft-ietf-rmcat-gcc-02, section 5.5, with the constants of libwebrtc.
    struct RateControl {
        /// In bits per second.
        private(set) var rate: Double
        var roundTrip = MediaDuration.milliseconds(200)

        private enum State { case hold, increase, decrease }

        private let lowest: Double
        private var state = State.hold
        private var capacity = LinkCapacity()
        private var lastAcknowledged: Double
        private var lastChange: MediaTime?

        init(start: Double, lowest: Double) { (rate, lastAcknowledged, self.lowest) = (start, start, lowest) }

        /// The increase near the capacity of the link, in bits per second each second: half a packet per response time,
        /// with frames at 30 a second in packets of at most 1200 bytes.
        var additiveIncrease: Double {
            let frame = rate / 30
            let packet = frame / max((frame / 9600).rounded(.up), 1)
            return max(4000, packet / (2 * (roundTrip + .milliseconds(100)).seconds))
        }

        /// Whether a decrease may follow the last change already: after an RTT of 10 to 200 ms, or if hardly anything
        /// arrives.
        func mayDecrease(acknowledged: Double, at now: MediaTime) -> Bool {
            guard let lastChange else { return true }
            let interval = min(max(roundTrip, .milliseconds(10)), .milliseconds(200))
            return now - lastChange >= interval || acknowledged < rate / 2
        }

        /// Sets the rate, in any state.
        mutating func set(_ rate: Double, at now: MediaTime) {
            (self.rate, lastChange) = (max(rate, lowest), now)
        }

        /// Moves the rate.
        ///
        /// - Parameters:
        ///   - usage: the detector's result.
        ///   - acknowledged: the acknowledged rate in bits per second; `nil` if it is unknown.
        ///   - now: the arrival time of the feedback.
        mutating func update(_ usage: DelayGradient.Usage, acknowledged: Double?, at now: MediaTime) {
            let acknowledged = acknowledged ?? lastAcknowledged
            lastAcknowledged = acknowledged
            switch (usage, state) {
            case (.normal, .hold): (state, lastChange) = (.increase, now)
            case (.normal, _): break
            case (.overuse, _): state = .decrease
            case (.underuse, _): state = .hold
            }
            switch state {
            case .hold: break
            case .increase: increase(acknowledged, at: now)
            case .decrease: decrease(acknowledged, at: now)
            }
            rate = max(rate, lowest)
        }

        private mutating func increase(_ acknowledged: Double, at now: MediaTime) {
            if acknowledged > capacity.range.upperBound { capacity.reset() }
            let elapsed = (now - (lastChange ?? now)).seconds
            let limit = 1.5 * acknowledged + 10_000
            if rate < limit {
                let step =
                    capacity.estimate == nil
                    ? max(rate * (pow(1.08, min(elapsed, 1)) - 1), 1000) : additiveIncrease * elapsed
                rate = min(rate + step, limit)
            }
            lastChange = now
        }

        private mutating func decrease(_ acknowledged: Double, at now: MediaTime) {
            var lower = 0.85 * acknowledged
            if lower > 5000 { lower -= 5000 }
            if lower > rate, let estimate = capacity.estimate { lower = 0.85 * estimate }
            rate = min(rate, lower)
            if acknowledged < capacity.range.lowerBound { capacity.reset() }
            capacity.record(acknowledged)
            (state, lastChange) = (.hold, now)
        }
    }
}
