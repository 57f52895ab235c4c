import RillCore

/// Estimates by when nearly all frames have arrived: the transit, from a frame's timestamp to the moment at which it
/// can be decoded, that all but a few of the last five seconds' frames kept.
///
/// It is a quantile of the measurements, not a model, and does not depend on a frame rate: each packet counts as it
/// arrives, at 1 frame per second as at 120. It keeps two series:
///
/// - *Arrivals*: when the newest packet of a frame arrived, whether or not the frame ever becomes complete.
///   Retransmitted packets are excluded: they measure repair, not the path.
/// - *Readiness*: when a frame and all before it were complete, including repaired ones. So the wait for repairs is
///   part of the target as soon as repairs are frequent. A wait for several repairs in a row counts as one repair:
///   buffering for the worst network would make a conversation impossible.
///
/// The target is the largest of these:
///
/// - the transit that the arrivals exceed by 2 ms on average, but no more than the one that all but 4 % of them (but
///   at least two) keep; and the same for the readiness. Thus many frames may be slightly late, or a few very late;
/// - the worst of both, minus a delay that a viewer does not perceive as a freeze; if repairs recur, the transit that
///   three in four of the last minute's repaired frames kept;
/// - the median of the arrivals plus the extra time of the window's largest key frame, from its size (``SizeEffect``):
///   if key frames are frequent, none of them should stop the picture.
///
/// If all frames are for a while faster than nine in ten were before, the queue that held those up is gone, and they
/// are forgotten.
struct JitterEstimator: ~Copyable, Sendable {
    private var arrivals = RecentValues(span: JitterEstimator.memory)
    private var readiness = RecentValues(span: JitterEstimator.memory)
    private var repairs = RecentValues(span: JitterEstimator.repairMemory)
    /// The mean size of a frame, in bytes.
    private var meanSize = 0.0
    private var keySizes = RecentValues(span: JitterEstimator.memory)
    private var sizeEffect = SizeEffect()
    /// The frame whose packets are arriving, and the transit of its latest one.
    private var open: (timestamp: Int64, transit: Int64)?
    private var calm = Calm()
    private var losses = LossEvents()
    /// The transit growth from clock skew so far, and up to when it is counted.
    private var drift: (nanoseconds: Double, until: MediaTime?) = (0, nil)
    /// The current target, and until when it is valid: it is recomputed ten times a second.
    private var standing: (target: Int64?, until: MediaTime) = (nil, MediaTime(nanoseconds: .min))
    /// The transit that all but a few arrivals kept, as of the last computation.
    private(set) var arrivalQuantile: Int64?
    /// The transit of the frame whose packets last arrived directly.
    var newestTransit: Int64? { open?.transit }

    /// Consecutive frames that are faster than nine in ten were before.
    private struct Calm {
        var count = 0
        var start = MediaTime.zero
        var mark: Int64 = 0
    }

    /// The last two times at which repairs became necessary.
    private struct LossEvents {
        var newest: MediaTime?
        var before: MediaTime?
        var lastRepair: MediaTime?
    }

    /// How long a measurement counts.
    static let memory = MediaDuration.seconds(5)
    /// How long a repair counts if repairs recur.
    static let repairMemory = MediaDuration.seconds(60)
    /// Repairs this far apart have separate causes.
    private static let lossSpacing = MediaDuration.seconds(2)
    /// The measurements that an estimate needs.
    static let minimumCount = 5
    /// The percentage of measurements that may be above the estimate.
    private static let latePercentage = 4
    private static let minimumLateCount = 2
    /// How late frames may be on average.
    private static let meanLateness = MediaDuration.milliseconds(2)
    /// A frame that is later than this freezes the picture by W3C's rule, at 30 frames per second.
    private static let freeze = MediaDuration.milliseconds(150)
    private static let freezeMargin = MediaDuration.milliseconds(30)
    private static let targetInterval = MediaDuration.milliseconds(100)
    /// The number of frames that the mean size covers.
    private static let meanSizeSpan = 64.0
    private static let calmCount = 6
    private static let calmLength = MediaDuration.milliseconds(400)

    // MARK: Measurements

    /// Notes a packet that arrived directly; `transit` is arrival minus timestamp, in nanoseconds.
    mutating func notePacket(timestamp: Int64, transit: Int64, at now: MediaTime) {
        if continues(with: timestamp) { return follow(transit) }
        if let open, timestamp < open.timestamp {
            // A late packet of an earlier frame.
            addArrival(transit, at: now)
            return
        }
        if let open { addArrival(open.transit, at: now) }
        open = (timestamp, transit)
    }

    /// Whether a packet belongs to the frame whose packets are arriving.
    @inline(__always)
    mutating func continues(with timestamp: Int64) -> Bool { open?.timestamp == timestamp }

    /// Notes a packet of that frame.
    @inline(__always)
    mutating func follow(_ transit: Int64) {
        if let open, transit > open.transit { self.open?.transit = transit }
    }

    private mutating func addArrival(_ transit: Int64, at now: MediaTime) {
        noteCalm(transit, at: now)
        arrivals.add(transit, at: now)
    }

    /// Notes that a frame of `byteCount` bytes became complete without repair.
    mutating func noteSize(_ byteCount: Int, isKey: Bool, transit: Int64, at now: MediaTime) {
        meanSize += (Double(byteCount) - meanSize) / JitterEstimator.meanSizeSpan
        if isKey { keySizes.add(Int64(byteCount), at: now) }
        sizeEffect.add(transit: transit, byteCount: byteCount, at: now)
    }

    /// Notes that a frame, and everything it waited for, was complete `transit` nanoseconds after its timestamp.
    ///
    /// - Parameters:
    ///   - transit: the time, in nanoseconds.
    ///   - isRepaired: whether a packet of it was retransmitted or recovered by FEC.
    ///   - repairTime: the duration of one repair, from the loss to the answer.
    ///   - now: the current time.
    mutating func noteReady(transit: Int64, isRepaired: Bool, repairTime: MediaDuration, at now: MediaTime) {
        let once = min(transit, (arrivalQuantile ?? .max / 2) + repairTime.nanoseconds)
        readiness.add(once, at: now)
        guard isRepaired else { return }
        repairs.add(once - Int64(drift.nanoseconds), at: now)
        if losses.lastRepair.map({ now - $0 > JitterEstimator.lossSpacing }) ?? true {
            losses.before = losses.newest
            losses.newest = now
        }
        losses.lastRepair = now
    }

    /// Notes the growth of transit times by clock skew, as a fraction of time: older repair times are adjusted by it.
    mutating func noteSkew(_ skew: Double, at now: MediaTime) {
        if let until = drift.until { drift.nanoseconds += Double((now - until).nanoseconds) * skew }
        drift.until = now
    }

    // MARK: Target

    /// Returns the target transit, in nanoseconds; `nil` while there are too few measurements.
    ///
    /// - Parameters:
    ///   - frameInterval: the stream's frame interval: a slow stream freezes later.
    ///   - now: the current time.
    mutating func target(frameInterval: MediaDuration, at now: MediaTime) -> Int64? {
        if now >= standing.until {
            standing = (newTarget(frameInterval: frameInterval, at: now), now + JitterEstimator.targetInterval)
        }
        return standing.target
    }

    private mutating func newTarget(frameInterval: MediaDuration, at now: MediaTime) -> Int64? {
        arrivalQuantile = JitterEstimator.quantile(of: &arrivals)
        guard let quantile = arrivalQuantile else { return nil }
        let tolerance = (JitterEstimator.freeze - JitterEstimator.freezeMargin).nanoseconds
        let slowTolerance = max(tolerance, (frameInterval * 2 - JitterEstimator.freezeMargin).nanoseconds)
        var target = max(quantile, arrivals.largest - slowTolerance, keyFrame(at: now))
        if let ready = JitterEstimator.quantile(of: &readiness) {
            target = max(target, ready, readiness.largest - tolerance)
        }
        if areRepairsRecurring(at: now) {
            target = max(target, repairs.value(rank: repairs.count * 3 / 4) + Int64(drift.nanoseconds))
        }
        return target
    }

    /// The transit of the window's largest key frame, estimated from its size.
    private mutating func keyFrame(at now: MediaTime) -> Int64 {
        keySizes.forget(before: now - JitterEstimator.memory)
        guard keySizes.count > 1 else { return .min }
        let excess = max(0, keySizes.largest - Int64(meanSize))
        return arrivals.value(rank: arrivals.count / 2) + sizeEffect.delay(ofBytes: excess)
    }

    /// Whether packets are lost repeatedly, not in one incident.
    private mutating func areRepairsRecurring(at now: MediaTime) -> Bool {
        repairs.forget(before: now - JitterEstimator.repairMemory)
        guard repairs.count > 0, let before = losses.before else { return false }
        return now - before <= JitterEstimator.repairMemory * 2
    }

    private static func quantile(of values: inout RecentValues) -> Int64? {
        guard values.count >= minimumCount else { return nil }
        let late = max(minimumLateCount, values.count * latePercentage / 100)
        return min(values.value(rank: values.count - 1 - late), values.bound(exceededBy: meanLateness.nanoseconds))
    }

    // MARK: Forgetting

    /// Forgets everything: the timestamps have jumped.
    mutating func restart() {
        arrivals.removeAll()
        readiness.removeAll()
        repairs.removeAll()
        sizeEffect = SizeEffect()
        standing = (nil, MediaTime(nanoseconds: .min))
        arrivalQuantile = nil
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
        repairs.forget(before: calm.start)
        calm.count = 0
    }
}
