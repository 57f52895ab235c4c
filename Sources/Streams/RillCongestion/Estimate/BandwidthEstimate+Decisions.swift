import RillCore

/// One control step after each feedback: it cuts the rate, or moves it towards a goal.
///
/// The order of the checks is the order of urgency. Overload, heavy loss and a wrong rate after an idle period cut
/// the rate at once (multiplicative decrease). Otherwise the rate follows the capacity, the fair rate or the search
/// with a time constant.
///
/// The constants of the step:
/// - A cut goes to 0.85 of the acknowledged rate, the decrease factor of GCC's AIMD. After it the rate stays for
///   450 ms, about the time in which the queue drains and feedback reports it.
/// - A delivery rate below 0.6 of the send rate with 30 ms of queue is an overload. So is one below 0.8 with 50 ms,
///   where the capacity is known. Both limits rise with the jitter.
/// - The rate approaches its goal with a time constant of 200 ms upwards and 100 ms downwards.
/// - Trains without dispersion raise it to 0.94 of the rate that they show, and by 1.6 times at most.
extension BandwidthEstimate {
    /// The bytes in flight beyond a round trip at which the bottleneck's buffer overflows, in seconds of the rate.
    /// Buffers of home routers hold about this much.
    static let floodLimit = 0.25
    /// The target utilization: the rate aims at this share of the capacity. The rest drains queues that the model
    /// does not see.
    static let aim = 0.98
    /// The time after which rate validation ends without a train. A train of one frame normally ends it within a
    /// round trip.
    private static let longestValidation = MediaDuration.milliseconds(1500)
    /// A higher loss fraction is congestion, even without queueing delay: policers and shallow buffers drop without a
    /// queue. The loss-based controller of GCC starts at 10 %, but radio links lose as much by themselves.
    static let lossThreshold = 0.2

    mutating func decide(at now: MediaTime) {
        if limits.startEnd == .distantFuture { limits.startEnd = now + .seconds(2) }
        let elapsed = lastUpdate.map { min(max((now - $0).seconds, 0), 0.2) } ?? 0.05
        lastUpdate = now
        path.queue.update(&packets, over: model, rate: bits, at: now)
        if let newest = packets.newest { path.acknowledged.update(newest: newest.arrival) }
        path.loss.update(at: now)
        path.roundTrip.update()
        if holdIfStalled(at: now) { return }
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
        if path.queue.isBunching, now >= holdUntil, limits.validatingSince == nil,
            let raised = recovery.next(after: bits, queue: path.queue.shortTerm, elapsed: elapsed, at: now)
        {
            return move(to: max(raised, bits))
        }
        let constant = goal > bits ? 0.2 : 0.1
        move(to: bits + (goal - bits) * (1 - 1 / (1 + elapsed / constant)))
    }

    /// The rate that the estimate moves towards.
    private mutating func goal(_ elapsed: Double, at now: MediaTime) -> Double {
        detectCrossTraffic(at: now)
        if competes { return compete(elapsed, at: now) }
        // After 4 s without a train, the capacity may have changed: the old measurement is dropped.
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

    /// Halves the rate when the path stalls, and then leaves it until the path has drained: nothing more is sent, and
    /// what trickles through does not measure the capacity.
    private mutating func holdIfStalled(at now: MediaTime) -> Bool {
        let wasStalled = isStalled
        isStalled = limits.isStalled(at: now)
        guard isStalled else { return false }
        decision = .drain(queue: duration(path.queue.shortTerm))
        guard !wasStalled else { return true }
        recovery.recordCut(from: bits, at: now)
        drains = DrainSchedule()
        move(to: max(min(recovery.floor(at: now), bits), bits / 2))
        fairRate = bits
        return true
    }

    private mutating func cutIfOverloaded(at now: MediaTime) -> Bool {
        let noise = (path.queue.isBunching ? 3 : 1.5) * path.queue.scatter
        // Without queueing delay there is no overload, and the comparison is not needed.
        guard now >= holdUntil, path.queue.shortTerm > 0.03 + noise,
            let slowdown = path.acknowledged.slowdown(of: packets)
        else { return false }
        let isCollapse = slowdown.ratio < 0.6
        // Our own bursts cause a mild slowdown, too. It counts only where the model predicts the queue of these
        // bursts.
        let isSurge =
            slowdown.ratio < 0.8 && path.queue.shortTerm > 0.05 + noise && knownCapacity != nil
            && !path.queue.isBunching
        guard isCollapse || isSurge else { return false }
        decision = .cut(.overload(acknowledged: bitrate(slowdown.rate), queue: duration(path.queue.shortTerm)))
        recovery.recordCut(from: bits, at: now)
        drains = DrainSchedule()
        holdUntil = now + .milliseconds(450)
        limits.drainUntil = holdUntil
        path.acknowledged.forgetPackets(before: packets.end)
        if slowdown.isStall {
            // A stall does not measure the capacity. The rate is halved at most.
            cut(to: max(0.85 * slowdown.rate, 0.5 * bits))
        } else {
            // Behind a queue the delivery rate is the capacity.
            path.capacity.reset(to: slowdown.rate)
            neighbor.forget()
            cut(to: max(0.85 * slowdown.rate, path.queue.isBunching ? recovery.floor(at: now) : 0))
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

    /// Ends rate validation once a train has measured the capacity after the idle period, and cuts the rate if that
    /// is much lower.
    ///
    /// The old rate may be far too high by then (RFC 7661 reduces the congestion window for the same reason).
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

    /// Sets the rate for a reason outside of feedback, such as REMB or a circuit breaker, and holds it for a second.
    ///
    /// - Parameters:
    ///   - bitrate: the rate. It is clamped to ``range``.
    ///   - now: the current time.
    package mutating func set(_ bitrate: Bitrate, at now: MediaTime) {
        if bitrate < rate { cutCount += 1 }
        holdUntil = max(holdUntil, now + .seconds(1))
        path.capacity.reset()
        recovery.reset()
        move(to: Double(bitrate.bitsPerSecond))
        (fairRate, ceiling) = (bits, Ceiling())
        updateModel(at: now)
    }

    /// Limits the rate from now on, in addition to ``range``. The measurements of the path stay.
    ///
    /// - Parameter bitrate: the upper limit.
    package mutating func limit(to bitrate: Bitrate) {
        limit = Double(bitrate.bitsPerSecond)
        if bits > limit { move(to: limit) }
    }

    /// Halves the rate after a feedback timeout, and again every 500 ms until feedback arrives.
    mutating func halve(at now: MediaTime) {
        decision = .silence(now - (waitingSince ?? now))
        silenceTime = now + .milliseconds(500)
        if !isSilent {
            probes.ask(for: bits)
            recovery.recordCut(from: bits, at: now)
        }
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
