import RillCore

/// Estimates by when nearly all frames are there: the transit, from a frame's timestamp to the moment at which it can be
/// decoded, that all but a few of the last six seconds' frames kept.
///
/// It is a quantile of what was measured, not a model of it. What the models of others have to tell apart (frames that are
/// larger than most and take longer through a narrow link, a queue that fills, chance) is all in the transits themselves,
/// and nothing hangs on a frame rate: each packet counts as it comes, at 1 frame a second as at 120. Two rows are kept:
///
/// - *Arrivals*: when the newest packet of a frame came, whether the frame ever becomes whole or not. Packets that were
///   sent again are left out: they tell of repair, not of the way.
/// - *Readiness*: when a frame and all before it were there, repaired ones too. So the wait for repairs is in the target
///   as soon as repairs are frequent. A wait for more than one repair after the other is counted as one: who buffers for
///   the worst network has a call with nobody.
///
/// The target is the largest of three: the transit that all but 4 % (but at least two) of the arrivals keep, the same of
/// the readiness, and the worst of both less what a viewer does not take for a freeze. When a second's frames are all
/// faster than nine in ten were before, the queue that held those up is gone, and they are forgotten.
struct JitterEstimator: ~Copyable, Sendable {
    private var arrivals = RecentValues(span: JitterEstimator.memory)
    private var readiness = RecentValues(span: JitterEstimator.memory)
    /// The frame whose packets are coming, and how late the latest of them was.
    private var open: (timestamp: Int64, transit: Int64)?
    private var calm = Calm()

    /// Consecutive frames that are faster than nine in ten were before.
    private struct Calm {
        var count = 0
        var start = MediaTime.zero
        var mark: Int64 = 0
    }

    /// How long a measurement counts.
    static let memory = MediaDuration.seconds(6)
    /// Measurements that an estimate needs.
    static let minimumCount = 5
    /// How many measurements in a hundred may lie above the estimate.
    private static let latePercentage = 4
    private static let minimumLateCount = 2
    /// A frame that comes later than this behind its time freezes the picture by W3C's rule, at 30 frames a second.
    private static let freeze = MediaDuration.milliseconds(150)
    private static let freezeMargin = MediaDuration.milliseconds(30)
    private static let calmCount = 8
    private static let calmLength = MediaDuration.seconds(1)

    /// Notes a packet as it comes on the stream's own way; `transit` is arrival less timestamp, in nanoseconds.
    @inline(__always)
    mutating func notePacket(timestamp: Int64, transit: Int64, at now: MediaTime) {
        if let open, open.timestamp == timestamp {
            if transit > open.transit { self.open = (timestamp, transit) }
        } else {
            noteOtherFrame(timestamp, transit, at: now)
        }
    }

    private mutating func noteOtherFrame(_ timestamp: Int64, _ transit: Int64, at now: MediaTime) {
        if let open, timestamp < open.timestamp {
            // A straggler of an earlier frame.
            addArrival(transit, at: now)
            return
        }
        if let open { addArrival(open.transit, at: now) }
        open = (timestamp, transit)
    }

    private mutating func addArrival(_ transit: Int64, at now: MediaTime) {
        noteCalm(transit, at: now)
        arrivals.add(transit, at: now)
    }

    /// Notes that a frame, and all that it waited for, was there `transit` nanoseconds after its timestamp.
    ///
    /// - Parameter repairTime: how long one repair takes, from the loss to the answer.
    mutating func noteReady(transit: Int64, repairTime: MediaDuration, at now: MediaTime) {
        let once = (arrivalQuantile ?? .max / 2) + repairTime.nanoseconds
        readiness.add(min(transit, once), at: now)
    }

    /// The transit to aim at, in nanoseconds; `nil` while too little was measured.
    ///
    /// - Parameter frameInterval: a slow stream freezes later.
    func target(frameInterval: MediaDuration) -> Int64? {
        guard let quantile = arrivalQuantile else { return nil }
        let tolerance = max(JitterEstimator.freeze, frameInterval * 2) - JitterEstimator.freezeMargin
        let target = max(quantile, arrivals.largest - tolerance.nanoseconds)
        guard let ready = JitterEstimator.quantile(of: readiness) else { return target }
        return max(target, ready, readiness.largest - tolerance.nanoseconds)
    }

    /// The transit that all but a few arrivals kept.
    private var arrivalQuantile: Int64? { JitterEstimator.quantile(of: arrivals) }

    /// Forgets everything: the timestamps have jumped.
    mutating func restart() {
        arrivals.removeAll()
        readiness.removeAll()
        open = nil
        calm = Calm()
    }

    private mutating func noteCalm(_ transit: Int64, at now: MediaTime) {
        if calm.count == 0 {
            guard arrivals.count >= JitterEstimator.minimumCount else { return }
            calm.mark = arrivals.value(rank: arrivals.count / 10)
            calm.start = now
        }
        guard transit < calm.mark else {
            calm.count = 0
            return
        }
        calm.count += 1
        guard calm.count >= JitterEstimator.calmCount, now - calm.start >= JitterEstimator.calmLength else { return }
        arrivals.forget(before: calm.start)
        readiness.forget(before: calm.start)
        calm.count = 0
    }

    private static func quantile(of values: borrowing RecentValues) -> Int64? {
        guard values.count >= minimumCount else { return nil }
        let late = max(minimumLateCount, values.count * latePercentage / 100)
        return values.value(rank: values.count - 1 - late)
    }
}
