package import RillCore

/// The congestion window of CUBIC, in segments: RFC 9438, section 4, with the slow start of RFC 5681.
///
/// It only adds, multiplies and divides, so that it is the same on every machine.
package struct CUBICWindow {
    /// `cwnd`.
    package private(set) var segments = 10.0
    /// `ssthresh`.
    package private(set) var slowStartThreshold = Double.infinity
    /// `W_max`: the window at the last reduction, or less with fast convergence.
    package private(set) var maximum = 0.0
    /// `cwnd_prior`: the window at the last reduction.
    private var prior = 0.0
    private var epoch: Epoch?
    /// Whether the next stage of congestion avoidance follows a timeout.
    private var followsTimeout = false

    /// A stage of congestion avoidance.
    private struct Epoch {
        var start: MediaTime
        /// `K`: the time until the window is at ``maximum`` again, in seconds.
        var timeToMaximum: Double
        /// `W_est`: the window that Reno would have.
        var renoWindow: Double
    }

    /// `C`, in segments per cubic second.
    package static let scale = 0.4
    /// `beta_cubic`.
    package static let decrease = 0.7
    /// `alpha_cubic`: Reno's increase in segments per round trip, for the average window of a halving Reno (section
    /// 4.3).
    private static let renoIncrease = 3 * (1 - decrease) / (1 + decrease)

    /// Creates the initial window.
    package init() {}

    /// Takes the acknowledgement of one segment outside of fast recovery.
    ///
    /// - Parameters:
    ///   - now: the current time.
    ///   - roundTrip: the smoothed round trip.
    package mutating func acknowledge(at now: MediaTime, roundTrip: MediaDuration) {
        defer { segments = min(segments, Double(CUBICFlow.maximumWindow)) }
        guard segments >= slowStartThreshold else { return segments += 1 }
        var epoch = epoch ?? startEpoch(at: now)
        defer { self.epoch = epoch }
        // Section 4.3. Where Reno would have been at the last reduction, it grows by one segment per round trip.
        epoch.renoWindow += (epoch.renoWindow < prior ? Self.renoIncrease : 1) / segments
        let time = (now - epoch.start).seconds
        guard cubic(time, epoch) >= epoch.renoWindow else { return segments = max(segments, epoch.renoWindow) }
        let target = cubic(time + roundTrip.seconds, epoch)
        segments += (min(max(target, segments), 1.5 * segments) - segments) / segments
    }

    /// Section 4.2, figures 1 and 2; after a timeout section 4.8.
    private mutating func startEpoch(at now: MediaTime) -> Epoch {
        if followsTimeout || maximum < segments { maximum = segments }
        followsTimeout = false
        return Epoch(
            start: now, timeToMaximum: Self.cubeRoot((maximum - segments) / Self.scale), renoWindow: segments)
    }

    /// `W_cubic`, at a time after the start of the stage.
    private func cubic(_ time: Double, _ epoch: Epoch) -> Double {
        let offset = time - epoch.timeToMaximum
        return Self.scale * offset * offset * offset + maximum
    }

    /// Reduces the window for a loss: sections 4.6 and 4.7.
    package mutating func reduce() {
        remember()
        slowStartThreshold = max(segments * Self.decrease, 2)
        segments = slowStartThreshold
    }

    /// Starts again with a window of one after a timeout: section 4.8.
    package mutating func timeOut() {
        remember()
        slowStartThreshold = max(segments * Self.decrease, 2)
        segments = 1
        followsTimeout = true
    }

    private mutating func remember() {
        // Fast convergence: a window that did not reach the last maximum makes room for a new flow.
        maximum = segments < maximum ? segments * (1 + Self.decrease) / 2 : segments
        prior = segments
        epoch = nil
    }

    /// Newton's iteration, from above.
    static func cubeRoot(_ value: Double) -> Double {
        guard value > 0 else { return 0 }
        var root = max(value, 1)
        while true {
            let next = (2 * root + value / (root * root)) / 3
            guard next < root else { return root }
            root = next
        }
    }
}
