import RillCore

/// How the rate moves after a feedback.
extension BandwidthEstimate {
    /// What is in flight beyond a round trip when a queue is flooded, in seconds: about the queues of home routers.
    static let floodLimit = 0.25
    /// The share of the capacity that is aimed at.
    static let aim = 0.98
    /// How long a check after a rest takes, if no train shows anything.
    private static let longestValidation = MediaDuration.milliseconds(1500)
    /// Loss above that share is taken for congestion even without a queue.
    static let lossThreshold = 0.2

    mutating func decide(at now: MediaTime) {
        if limits.startEnd == .distantFuture { limits.startEnd = now + .seconds(2) }
        let elapsed = lastUpdate.map { min(max((now - $0).seconds, 0), 0.2) } ?? 0.05
        lastUpdate = now
        path.queue.update(&packets, over: model, rate: bits, at: now)
        if let newest = packets.newest { path.acknowledged.update(newest: newest.arrival) }
        path.loss.update(at: now)
        path.roundTrip.update()
        rebaseIfQueuePersists(at: now)
        path.capacity.trustsBursts = !contention.isDetected && !path.queue.isBunching
        if cutIfOverloaded(at: now) || cutIfLossy(at: now) || cutAfterIdle(at: now) { return }
        if path.queue.shortTerm < 0.02 { limits.drainUntil = min(limits.drainUntil, now) }
        var goal = goal(elapsed, at: now)
        if limits.validatingSince != nil { goal = min(goal, bits) }
        if now < holdUntil {
            goal = min(goal, bits)
            decision = .drain(queue: duration(path.queue.shortTerm))
        }
        if path.queue.isBunching {
            drains.update(usual: path.queue.usual, at: now)
            if drains.isOn(at: now) { goal = min(goal, DrainSchedule.share * path.acknowledged.smoothed) }
        } else {
            drains = DrainSchedule()
        }
        if contention.isTesting { goal = min(goal, 0.8 * (knownCapacity ?? bits)) }
        let constant = goal > bits ? 0.2 : 0.1
        move(to: bits + (goal - bits) * (1 - 1 / (1 + elapsed / constant)))
    }

    /// The rate to move to.
    private mutating func goal(_ elapsed: Double, at now: MediaTime) -> Double {
        detectCrossTraffic(at: now)
        // What was known before that may be long gone.
        if !probes.isSighted(within: .seconds(4), at: now) { path.capacity.reset() }
        switch path.queue.isBunching && !isStarting(at: now) ? .unknown : path.capacity.reading {
        case .capacity(let capacity):
            decision = .follow(capacity: bitrate(capacity), queue: duration(path.queue.crossTraffic))
            return shared(capacity, elapsed)
        case .atLeast(let seen) where probes.isSighted(within: .seconds(1), at: now):
            decision = .rise(seen: bitrate(seen))
            let goal = max(bits, min(0.94 * seen, bits * 1.6))
            moveFairRate(elapsed, most: 2 * goal)
            return min(goal, fairRate)
        case .unknown, .atLeast:
            fairRate = bits
            return search(at: now)
        }
    }

    // MARK: Cuts

    private mutating func cutIfOverloaded(at now: MediaTime) -> Bool {
        let noise = (path.queue.isBunching ? 3 : 1.5) * path.queue.scatter
        // Without a queue the packets are not compared.
        guard now >= holdUntil, path.queue.shortTerm > 0.03 + noise,
            let slowdown = path.acknowledged.slowdown(of: packets)
        else { return false }
        let isCollapse = slowdown.ratio < 0.6
        // Our own bursts look like this, too, unless it is known what they do.
        let isSurge =
            slowdown.ratio < 0.8 && path.queue.shortTerm > 0.05 + noise && knownCapacity != nil
            && !path.queue.isBunching
        guard isCollapse || isSurge else { return false }
        decision = .cut(.overload(acknowledged: bitrate(slowdown.rate), queue: duration(path.queue.shortTerm)))
        holdUntil = now + .milliseconds(450)
        limits.drainUntil = holdUntil
        path.acknowledged.forgetPackets(before: packets.end)
        if slowdown.isStall {
            // What the path carries after a pause is what it carried before, or nobody knows.
            cut(to: max(0.85 * slowdown.rate, 0.5 * bits))
        } else {
            // What arrives behind a queue is the capacity.
            path.capacity.reset(to: slowdown.rate)
            cut(to: 0.85 * slowdown.rate)
        }
        return true
    }

    private mutating func cutIfLossy(at now: MediaTime) -> Bool {
        guard now >= holdUntil, path.loss.share > BandwidthEstimate.lossThreshold else { return false }
        decision = .cut(.loss(acknowledged: bitrate(path.acknowledged.smoothed), perMille: Int(1000 * path.loss.share)))
        holdUntil = now + .seconds(1)
        path.loss.reset()
        cut(to: path.acknowledged.smoothed / (1 - BandwidthEstimate.lossThreshold))
        return true
    }

    /// Ends the check after a rest when a train has shown what the path carries now: all that is left of the rate may be far too much.
    private mutating func cutAfterIdle(at now: MediaTime) -> Bool {
        guard let since = limits.validatingSince else { return false }
        if now - since > BandwidthEstimate.longestValidation { limits.validatingSince = nil }
        guard path.capacity.newest >= since, path.capacity.reading != .unknown else { return false }
        limits.validatingSince = nil
        guard case .capacity(let capacity) = path.capacity.reading, capacity < 0.7 * bits, !path.queue.isBunching else {
            return false
        }
        decision = .cut(.overload(acknowledged: bitrate(capacity), queue: duration(path.queue.shortTerm)))
        cut(to: BandwidthEstimate.aim * capacity)
        return true
    }

    private mutating func cut(to rate: Double) {
        cutCount += 1
        move(to: min(bits, rate))
        fairRate = bits
    }

    /// Sets the rate for a reason that feedback does not tell, and holds it for a second.
    ///
    /// - Parameters:
    ///   - bitrate: the rate; it is kept within the bounds.
    ///   - now: the current time.
    package mutating func set(_ bitrate: Bitrate, at now: MediaTime) {
        if bitrate < rate { cutCount += 1 }
        holdUntil = max(holdUntil, now + .seconds(1))
        path.capacity.reset()
        move(to: Double(bitrate.bitsPerSecond))
        (fairRate, ceiling) = (bits, Ceiling())
        updateModel(at: now)
    }

    /// Limits the rate from now on, below its own bounds: what is known of the path stays.
    ///
    /// - Parameter bitrate: the most.
    package mutating func limit(to bitrate: Bitrate) {
        limit = Double(bitrate.bitsPerSecond)
        if bits > limit { move(to: limit) }
    }

    /// Halves the rate, while nothing is heard.
    mutating func halve(at now: MediaTime) {
        decision = .silence(now - (waitingSince ?? now))
        silenceTime = now + .milliseconds(500)
        if !isSilent { probes.ask(for: bits) }
        isSilent = true
        path.capacity.reset()
        move(to: bits / 2)
        (fairRate, ceiling) = (bits, Ceiling())
    }

    // MARK: Bounds

    mutating func move(to value: Double) {
        bits = min(
            max(min(value, limit), Double(range.lowerBound.bitsPerSecond)), Double(range.upperBound.bitsPerSecond))
        rate = bitrate(bits)
    }

    func bitrate(_ bits: Double) -> Bitrate { Bitrate(bitsPerSecond: Int(min(max(bits, 0), 1e15))) }

    func duration(_ seconds: Double) -> MediaDuration {
        MediaDuration(nanoseconds: Int64(min(max(seconds, 0), 1000) * 1e9 + 0.5))
    }
}
