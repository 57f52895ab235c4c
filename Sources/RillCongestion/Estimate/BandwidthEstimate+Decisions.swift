import RillCore

/// How the rate moves.
extension BandwidthEstimate {
    /// Packets leave by this factor faster than the rate.
    static let pacing = 1.5
    /// What may wait in the bottleneck's queue of our own packets before they are paced at its rate, in seconds.
    static let burst = 0.015
    /// The time in which the next frames make good for what waits, in seconds.
    static let recovery = 0.25
    /// The share of the capacity that is aimed at.
    static let aim = 0.98
    /// What the path may carry beyond what trains show that lie between those of others, as a factor.
    static let hidden = 1.3
    /// How fast flows that share a queue become equal, per second.
    static let sharing = 0.10
    /// How much lower the next frames are for a second of foreign queue.
    static let damping = 4.0

    mutating func decide(at now: MediaTime) {
        if startTime == nil { startTime = now }
        let elapsed = lastUpdate.map { min((now - $0).seconds, 0.2) } ?? 0.05
        lastUpdate = now
        queue.update(rate: bits, at: now)
        acknowledged.update()
        loss.update(at: now)
        roundTrip.update()
        rebaseIfForeign(at: now)
        capacity.trustsBursts = !contention.isSeen && !queue.isBunching
        if cutIfOverloaded(at: now) { return }
        if queue.surge < 0.02 { drainUntil = min(drainUntil, now) }
        var goal = goal(elapsed, at: now)
        if now < holdUntil {
            goal = min(goal, bits)
            decision = .drain(queue: .seconds(max(queue.surge, 0)))
        }
        if contention.isTrying { goal = min(goal, 0.8 * (knownCapacity ?? bits)) }
        let constant = goal > bits ? 0.2 : 0.1
        move(to: bits + (goal - bits) * (1 - 1 / (1 + elapsed / constant)))
    }

    /// The rate to move to.
    private mutating func goal(_ elapsed: Double, at now: MediaTime) -> Double {
        let isHidden = queue.isBunching && !isStarting(at: now)
        // What stands after a cut is our own.
        let isStanding = queue.foreign > 0.008 && !queue.isBunching && now > holdUntil + .seconds(1)
        if contention.update(isStanding: isStanding, roundTrip: roundTrip.seconds, at: now), queue.foreign > 0.02, queue.scatter < 0.006 {
            // It did not drain while little was sent, and nobody else moves it: the path has become longer.
            queue.rebase(at: now)
        }
        switch isHidden ? .unknown : capacity.reading {
        case .capacity(let capacity):
            let alone = capacity * (contention.isSeen ? BandwidthEstimate.hidden : BandwidthEstimate.aim - 3 * min(queue.foreign, 0.1))
            moveShare(elapsed, most: max(alone, 1.05 * capacity), at: now)
            decision = .follow(capacity: Bitrate(bitsPerSecond: Int(capacity)), queue: .seconds(queue.foreign))
            if share < alone {
                decision = .share(queue: .seconds(queue.foreign), target: .seconds(BandwidthEstimate.targetQueue(share)))
            }
            return min(alone, share)
        case .atLeast(let seen) where probes.isSighted(at: now):
            let goal = max(bits, min(0.94 * seen, bits * 1.6))
            moveShare(elapsed, most: 2 * goal, at: now)
            decision = .rise(seen: Bitrate(bitsPerSecond: Int(seen)))
            return min(goal, share)
        case .unknown, .atLeast:
            share = bits
            return search(elapsed, at: now)
        }
    }

    /// Rises until a queue stands, then falls below what arrives: that is the capacity, which the next rise approaches slowly.
    private mutating func search(_ elapsed: Double, at now: MediaTime) -> Double {
        decision = .search(queue: .seconds(queue.standing))
        let isTrying = bits > 0.97 * (ceiling.rate ?? 0) && ceiling.calm(at: now) > 0
        if queue.standing > (isTrying ? 0 : queue.noise) {
            let arriving = min(acknowledged.smoothed, 1.1 * bits)
            ceiling.note(arriving, sending: bits, queue: queue.standing, at: now)
            return min(bits, (ceiling.rate ?? arriving) * (0.94 - 5 * min(queue.standing, 0.08)))
        }
        ceiling.noteEmpty()
        let most = max(1.5 * acknowledged.smoothed + 10_000, bits)
        if most == bits { decision = .hold(acknowledged: Bitrate(bitsPerSecond: Int(acknowledged.smoothed))) }
        var growth = 0.8
        if let top = ceiling.rate {
            let calm = ceiling.calm(at: now)
            if bits < 0.9 * top {
                growth = 0.3
            } else if calm > 0 {
                growth = ceiling.confirmations < 2 ? 0.3 : min(0.04 + 0.05 * max(0, calm - 2.5), 0.5)
            } else {
                return min(bits + 0.2 * (0.95 * top - bits), most)
            }
        }
        // The rate approaches the goal with a time constant of 200 ms.
        return min(bits * (1 + 0.2 * growth), most)
    }

    /// The queue of others at which a flow of a rate stays, in seconds: the lower the rate, the longer.
    static func targetQueue(_ rate: Double) -> Double { min(max(28_000 / max(rate, 1), 0.012), 0.08) }

    /// Moves what the queue of others allows. Where nobody else was seen for some seconds it allows everything.
    private mutating func moveShare(_ elapsed: Double, most: Double, at now: MediaTime) {
        if contention.isTrying { return }
        guard contention.isSeen || contention.isJudging else {
            share = most
            return
        }
        let lack = 1 - min(queue.foreign / BandwidthEstimate.targetQueue(share), 4)
        share = min(max(share + BandwidthEstimate.sharing * elapsed * lack * (share + 400_000), 0.5 * bits), most)
    }

    private mutating func cutIfOverloaded(at now: MediaTime) -> Bool {
        guard now >= holdUntil, let slowdown = acknowledged.slowdown else { return false }
        let noise = 1.5 * queue.scatter
        guard slowdown.ratio < 0.6 && queue.surge > 0.03 + noise || knownCapacity != nil && slowdown.ratio < 0.8 && queue.surge > 0.07 + noise
        else { return false }
        let queued = MediaDuration.seconds(queue.surge)
        decision = .cut(.overload(acknowledged: Bitrate(bitsPerSecond: Int(slowdown.rate)), queue: queued))
        cutCount += 1
        holdUntil = now + .milliseconds(450)
        drainUntil = holdUntil
        // What arrives behind a queue is the capacity.
        capacity.reset(to: slowdown.rate)
        acknowledged.forgetPackets()
        move(to: min(bits, 0.85 * slowdown.rate))
        share = bits
        return true
    }

    /// A queue that stands for seconds although the rate was halved is not a queue, or not ours: it counts as the empty path from then on.
    private mutating func rebaseIfForeign(at now: MediaTime) {
        guard (queue.isBunching ? queue.standing : queue.foreign) > 0.03 else {
            stood = nil
            return
        }
        guard let since = stood else {
            stood = (now, bits)
            return
        }
        if since.bits < bits { stood?.bits = bits }
        guard now - since.since > .seconds(3), bits < max(since.bits / 2, 1.05 * Double(range.lowerBound.bitsPerSecond)) else { return }
        queue.rebase(at: now)
        stood = nil
    }

    mutating func halve(at now: MediaTime) {
        decision = .silence(now - (waitingSince ?? now))
        silenceTime = now + .milliseconds(500)
        if !isSilent { probes.ask(for: bits) }
        isSilent = true
        capacity.reset()
        move(to: bits / 2)
        (share, ceiling) = (bits, Ceiling())
        rate = Bitrate(bitsPerSecond: Int(bits))
    }

    private mutating func move(to value: Double) {
        bits = min(max(value, Double(range.lowerBound.bitsPerSecond)), Double(range.upperBound.bitsPerSecond))
    }
}
