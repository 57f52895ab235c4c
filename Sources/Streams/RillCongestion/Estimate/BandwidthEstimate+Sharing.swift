import RillCore

/// Fairness among flows that share a bottleneck's queue.
///
/// All of them observe the same cross-traffic queueing delay. Each has a target delay, which is longer for a lower
/// rate, and moves its rate until the delay meets the target. So the lower rate rises and the higher one falls until
/// they are equal. TCP Vegas and Copa rest on the same relation between rate and standing queue.
///
/// The fair rate moves slowly. The size of the next frames reacts to the delay at once
/// (``BandwidthEstimate/mediaRate(queued:at:)``). This damping keeps the two loops from oscillating.
extension BandwidthEstimate {
    /// The factor by which the capacity may exceed the measured one under contention. Trains that interleave with
    /// those of others measure a share of the capacity only.
    static let hidden = 1.3
    /// The gain of the fair rate, per second, and the additive part in bits per second. The additive part lets low
    /// rates rise faster.
    static let sharing = (speed: 0.1, extra: 400_000.0)
    /// The damping: the next frames shrink by this share of the rate for each second of queueing delay above the
    /// target.
    static let damping = 4.0

    /// The target cross-traffic delay of a rate, in seconds: 28 kbit of queue, within 12 to 80 ms. It is inversely
    /// proportional to the rate. Beside delay-based flows it is that of ``Neighbor``.
    func targetQueue(_ rate: Double) -> Double {
        neighbor.isDelayBased ? Neighbor.targetQueue(rate) : min(max(28_000 / max(rate, 1), 0.012), 0.08)
    }
    /// The share of the capacity below which a rate competes.
    private static let smallPart = 0.2
    /// For so long a run of packets shows other flows.
    private static let fresh = MediaDuration.seconds(1)
    /// A rate above this share of the capacity leaves nothing for others: nobody is there.
    private static let wholeShare = 0.85
    /// Whole trains that measure less than this share of the rate of single runs interleave with those of others.
    private static let interleaved = 0.8

    /// Whether all trains interleave with those of other flows, as those of flows in step do. Few runs are at the
    /// capacity then, but the trains measure a constant share of it.
    private var trainsInterleave: Bool {
        guard case .capacity(let capacity) = path.capacity.reading, scatter.isConstant else { return false }
        return capacity < BandwidthEstimate.interleaved * 1e9 * path.capacity.mode.highest
    }

    /// The goal for a measured capacity: a little below it without contention, the fair rate under contention.
    mutating func shared(_ capacity: Double, _ elapsed: Double) -> Double {
        // Interleaved trains measure a share of the capacity only. Until a yield test has confirmed the contention,
        // the queue may be our own: the measured capacity is then not exceeded.
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
            queue: duration(path.queue.crossTraffic), target: duration(targetQueue(fairRate)))
        return fairRate
    }

    /// Moves the fair rate by one step. Without contention for some seconds it is unlimited.
    mutating func moveFairRate(_ elapsed: Double, most: Double) {
        if contention.isTesting { return }
        guard contention.isDetected || contention.isObserving else {
            fairRate = most
            return
        }
        let lack = 1 - min(path.queue.crossTraffic / targetQueue(fairRate), 4)
        var step = BandwidthEstimate.sharing.speed * lack * (fairRate + BandwidthEstimate.sharing.extra)
        if neighbor.isDelayBased {
            let increase = Neighbor.increase(of: bits, roundTrip: path.roundTrip.seconds)
            step = lack < 0 ? Neighbor.decreaseSpeed * lack * fairRate : min(step, increase)
        }
        fairRate = min(max(fairRate + step * elapsed, 0.5 * bits), most)
    }

    /// Whether the rate competes with flows that yield to delay, and send each frame at once.
    ///
    /// Their frames lie between ours as a whole, so most of our runs arrive at the capacity. The packets of flows that
    /// pace, as Rill's do, lie between ours one by one: with those the standing queue is shared, which uses more of the
    /// link. A rate that is a small part of the capacity competes with either: it has few runs, which show little.
    var competes: Bool {
        neighbor.isDelayBased
            && (path.capacity.mode.isConstant || bits < BandwidthEstimate.smallPart * sharedCapacity)
    }

    /// The capacity that delay-based flows share, in bits per second: the highest rate of single runs.
    var sharedCapacity: Double { 1e9 * path.capacity.mode.highest }

    /// The goal beside delay-based flows: additive increase and multiplicative decrease, on the same evidence as
    /// theirs. The length of the queue does not move it: a flow that yields to each millisecond of queue leaves all to
    /// one that answers only to a queue that grows.
    mutating func compete(_ elapsed: Double, at now: MediaTime) -> Double {
        if path.gradient == nil { (path.gradient, fairRate) = (DelayGradient(), bits) }
        let (acknowledged, roundTrip) = (path.acknowledged.smoothed, path.roundTrip.seconds)
        switch path.gradient?.usage {
        case .overuse where path.queue.crossTraffic > Neighbor.shortestQueue:
            if let share = neighbor.decrease(of: fairRate / sharedCapacity, roundTrip: roundTrip, at: now) {
                fairRate = min(fairRate * (1 - share), Neighbor.surplus * acknowledged)
            }
        case .normal where fairRate < 1.5 * acknowledged + 10_000:
            let increase = Neighbor.increase(of: bits, among: sharedCapacity, roundTrip: roundTrip)
            fairRate += increase * elapsed
        default: break
        }
        fairRate = min(fairRate, BandwidthEstimate.aim * sharedCapacity)
        decision = .compete(capacity: bitrate(sharedCapacity), queue: duration(path.queue.crossTraffic))
        return fairRate
    }

    /// Detects cross traffic in the queue, and runs the yield tests of ``Contention``.
    mutating func detectCrossTraffic(at now: MediaTime) {
        let mode = path.capacity.mode
        // Without a queue there are no runs that show anything, and what they showed ages. Runs alone are no evidence:
        // after a change of the capacity they have two rates as well.
        let age = (packets.newest?.arrival ?? mode.last) - mode.last
        let isKnown = neighbor.wasSeen(at: now) && age < BandwidthEstimate.fresh
        let isInterleaved =
            contention.isDetected && (mode.isInterleaved || trainsInterleave) || mode.isInterleaved && isKnown
        // A yield test found others, whose frames never lie between our packets.
        let isApart = contention.isConfirmed && mode.isConstant
        // A path that bunches packets has runs of many rates by itself.
        let isEvident = !path.queue.isBunching && (isInterleaved || isApart)
        neighbor.update(isEvident: isEvident, queue: path.queue.crossTraffic, at: now)
        if !competes { path.gradient = nil }
        // For a second after a cut, the queue is our own.
        let isStanding = path.queue.crossTraffic > 0.008 && !path.queue.isBunching && now > holdUntil + .seconds(1)
        let isTestOver = contention.update(
            isStanding: isStanding, isEvident: neighbor.isDelayBased,
            isWhole: bits > BandwidthEstimate.wholeShare * 1e9 * path.capacity.mode.highest,
            roundTrip: path.roundTrip.seconds, at: now)
        // The delay did not fall while we yielded, and it does not vary as a shared queue does. The base delay has
        // increased: the path became longer.
        if isTestOver, path.queue.crossTraffic > 0.02, path.queue.scatter < 0.006 { path.queue.rebase(at: now) }
    }

    /// Rebases the base delay if the queueing delay stays above 30 ms for 3 s although the rate was halved.
    ///
    /// Such a delay is not a queue of ours. It becomes part of the base delay.
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
