import RillCore

/// How flows that share a queue become equal.
///
/// All of them see the same queue. Each moves its rate until the queue of the others is what a flow of its rate aims at: a longer one for a
/// lower rate. Then the lower one rises and the higher one falls, until they are equal. The rate itself moves slowly; the next frames answer
/// the queue at once (``BandwidthEstimate/mediaRate(queued:at:)``), which keeps the two from swinging.
extension BandwidthEstimate {
    /// What the path may carry beyond what trains show that lie between those of others, as a factor.
    static let hidden = 1.3
    /// How fast flows become equal, per second, and what is added to a rate for that, in bits per second, so that low rates rise faster.
    static let sharing = (speed: 0.1, extra: 400_000.0)
    /// How much lower the next frames are for each second of the others' queue, as a share of the rate.
    static let damping = 4.0

    /// The queue of others at which a flow of a rate stays, in seconds.
    static func targetQueue(_ rate: Double) -> Double { min(max(28_000 / max(rate, 1), 0.012), 0.08) }

    /// The rate for a capacity that trains show: alone a little below it, among others what their queue allows.
    mutating func shared(_ capacity: Double, _ elapsed: Double) -> Double {
        // Trains that lie between those of others show what is theirs, not what could be. Until a trial has confirmed that somebody is there,
        // the queue may be our own: what trains show is then not exceeded.
        let factor =
            contention.isConfirmed
            ? BandwidthEstimate.hidden
            : contention.isDetected
                ? BandwidthEstimate.aim : BandwidthEstimate.aim - 3 * min(path.queue.crossTraffic, 0.1)
        let alone = capacity * factor
        moveFairRate(
            elapsed, most: contention.isDetected && !contention.isConfirmed ? alone : max(alone, 1.05 * capacity))
        guard fairRate < alone else { return alone }
        decision = .share(
            queue: duration(path.queue.crossTraffic), target: duration(BandwidthEstimate.targetQueue(fairRate)))
        return fairRate
    }

    /// Moves what the queue of others allows. Where nobody else was seen for some seconds it allows everything.
    mutating func moveFairRate(_ elapsed: Double, most: Double) {
        if contention.isTesting { return }
        guard contention.isDetected || contention.isObserving else {
            fairRate = most
            return
        }
        let lack = 1 - min(path.queue.crossTraffic / BandwidthEstimate.targetQueue(fairRate), 4)
        let step = BandwidthEstimate.sharing.speed * elapsed * lack * (fairRate + BandwidthEstimate.sharing.extra)
        fairRate = min(max(fairRate + step, 0.5 * bits), most)
    }

    /// Looks whether others share the queue.
    mutating func detectCrossTraffic(at now: MediaTime) {
        // What stands after a cut is our own.
        let isStanding = path.queue.crossTraffic > 0.008 && !path.queue.isBunching && now > holdUntil + .seconds(1)
        let isTestOver = contention.update(isStanding: isStanding, roundTrip: path.roundTrip.seconds, at: now)
        // It did not drain while little was sent, and nobody else moves it: the path has become longer.
        if isTestOver, path.queue.crossTraffic > 0.02, path.queue.scatter < 0.006 { path.queue.rebase(at: now) }
    }

    /// A queue that stands for seconds although the rate was halved is not a queue, or not ours: it counts as the empty path from then on.
    mutating func rebaseIfQueuePersists(at now: MediaTime) {
        guard (path.queue.isBunching ? path.queue.standing : path.queue.crossTraffic) > 0.03 else {
            persistentQueue = nil
            return
        }
        guard let before = persistentQueue else {
            persistentQueue = (now, bits)
            return
        }
        if before.bits < bits { persistentQueue = (before.since, bits) }
        let isLow = bits < max(before.bits / 2, 1.05 * Double(range.lowerBound.bitsPerSecond))
        guard now - before.since > .seconds(3), isLow else { return }
        path.queue.rebase(at: now)
        persistentQueue = nil
    }
}
