import RillCore

/// Estimates by when nearly all frames are there: the transit, from a frame's timestamp to the moment at which it can be
/// decoded, that all but a few of the last five seconds' frames kept.
///
/// It is a quantile of what was measured, not a model of it, and nothing hangs on a frame rate: each packet counts as it
/// comes, at 1 frame a second as at 120. Two rows are kept:
///
/// - *Arrivals*: when the newest packet of a frame came, whether the frame ever becomes whole or not. Packets that were
///   sent again are left out: they tell of repair, not of the way.
/// - *Readiness*: when a frame and all before it were there, repaired ones too. So the wait for repairs is in the target
///   as soon as repairs are frequent. A wait for more than one repair after the other is counted as one: who buffers for
///   the worst network has a call with nobody.
///
/// The target is the largest of these:
///
/// - the transit that the arrivals exceed by 2 ms on the average, but no more than all but 4 % (but at least two)
///   of them keep; and the same of the readiness. So many frames may be a little late, or few a lot;
/// - the worst of both less what a viewer does not take for a freeze; where repairs recur, what three in four of a
///   minute's took;
/// - what the largest key frame of the window takes longer than most frames, by its size (``SizeEffect``): where key frames
///   come often, none is to stop the picture.
///
/// When all frames are faster for a while than nine in ten were before, the queue that held those up is gone, and they
/// are forgotten.
struct JitterEstimator: ~Copyable, Sendable {
    private var arrivals = RecentValues(span: JitterEstimator.memory)
    private var readiness = RecentValues(span: JitterEstimator.memory)
    private var repairs = RecentValues(span: JitterEstimator.repairMemory)
    /// What a frame has in the mean, in bytes.
    private var meanSize = 0.0
    private var keySizes = RecentValues(span: JitterEstimator.memory)
    private var sizeEffect = SizeEffect()
    /// The frame whose packets are coming, and how late the latest of them was.
    private var open: (timestamp: Int64, transit: Int64)?
    private var calm = Calm()
    private var losses = LossEvents()
    /// What the skew of the clocks has added to transits so far, and up to when.
    private var drift: (nanoseconds: Double, until: MediaTime?) = (0, nil)
    /// The target, and until when it stands: all of it is looked at ten times a second.
    private var standing: (target: Int64?, until: MediaTime) = (nil, MediaTime(nanoseconds: .min))
    /// The transit that all but a few arrivals kept, as of the last look.
    private(set) var arrivalQuantile: Int64?
    /// The transit of the frame whose packets came last on the stream's own way.
    var newestTransit: Int64? { open?.transit }

    /// Consecutive frames that are faster than nine in ten were before.
    private struct Calm {
        var count = 0
        var start = MediaTime.zero
        var mark: Int64 = 0
    }

    /// The last two times at which repairs began to be needed.
    private struct LossEvents {
        var newest: MediaTime?
        var before: MediaTime?
        var lastRepair: MediaTime?
    }

    /// How long a measurement counts.
    static let memory = MediaDuration.seconds(5)
    /// How long a repair counts where repairs recur.
    static let repairMemory = MediaDuration.seconds(60)
    /// Repairs so far apart have causes of their own.
    private static let lossSpacing = MediaDuration.seconds(2)
    /// Measurements that an estimate needs.
    static let minimumCount = 5
    /// How many measurements in a hundred may lie above the estimate.
    private static let latePercentage = 4
    private static let minimumLateCount = 2
    /// By how much frames may be late on the average.
    private static let meanLateness = MediaDuration.milliseconds(2)
    /// A frame that comes later than this behind its time freezes the picture by W3C's rule, at 30 frames a second.
    private static let freeze = MediaDuration.milliseconds(150)
    private static let freezeMargin = MediaDuration.milliseconds(30)
    private static let targetInterval = MediaDuration.milliseconds(100)
    /// Frames that a mean size is of.
    private static let meanSizeSpan = 64.0
    private static let calmCount = 6
    private static let calmLength = MediaDuration.milliseconds(400)

    // MARK: What came

    /// Notes a packet as it comes on the stream's own way; `transit` is arrival less timestamp, in nanoseconds.
    mutating func notePacket(timestamp: Int64, transit: Int64, at now: MediaTime) {
        if continuesFrame(with: timestamp) { return follow(transit) }
        if let open, timestamp < open.timestamp {
            // A straggler of an earlier frame.
            addArrival(transit, at: now)
            return
        }
        if let open { addArrival(open.transit, at: now) }
        open = (timestamp, transit)
    }

    /// Whether a packet is of the frame whose packets are coming.
    @inline(__always)
    mutating func continuesFrame(with timestamp: Int64) -> Bool { open?.timestamp == timestamp }

    /// Notes a packet that goes on.
    @inline(__always)
    mutating func follow(_ transit: Int64) {
        if let open, transit > open.transit { self.open?.transit = transit }
    }

    private mutating func addArrival(_ transit: Int64, at now: MediaTime) {
        noteCalm(transit, at: now)
        arrivals.add(transit, at: now)
    }

    /// Notes that a frame of so many bytes is whole, without repair.
    mutating func noteSize(_ byteCount: Int, isKey: Bool, transit: Int64, at now: MediaTime) {
        meanSize += (Double(byteCount) - meanSize) / JitterEstimator.meanSizeSpan
        if isKey { keySizes.add(Int64(byteCount), at: now) }
        sizeEffect.add(transit: transit, byteCount: byteCount, at: now)
    }

    /// Notes that a frame, and all that it waited for, was there `transit` nanoseconds after its timestamp.
    ///
    /// - Parameters:
    ///   - isRepaired: a packet of it was sent again, or made from FEC packets.
    ///   - repairTime: how long one repair takes, from the loss to the answer.
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

    /// Notes by how much transits grow on their own, as a share of time: those of a minute ago are carried along.
    mutating func noteSkew(_ skew: Double, at now: MediaTime) {
        if let until = drift.until { drift.nanoseconds += Double((now - until).nanoseconds) * skew }
        drift.until = now
    }

    // MARK: What it comes to

    /// The transit to aim at, in nanoseconds; `nil` while too little was measured.
    ///
    /// - Parameter frameInterval: a slow stream freezes later.
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

    /// What the largest key frame of the window takes, by its size.
    private mutating func keyFrame(at now: MediaTime) -> Int64 {
        keySizes.forget(before: now - JitterEstimator.memory)
        guard keySizes.count > 1 else { return .min }
        let excess = max(0, keySizes.largest - Int64(meanSize))
        return arrivals.value(rank: arrivals.count / 2) + sizeEffect.delay(ofBytes: excess)
    }

    /// Whether packets are lost time and again, not in one accident.
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

    // MARK: What is over

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
