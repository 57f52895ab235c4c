public import RillCore

/// A sender-side bandwidth estimate: how much a path carries, from sent packets and their feedback.
///
/// Pass each packet that leaves (``recordSent(byteCount:at:)``) and each feedback
/// (``take(_:of:at:)-(TransportFeedback,_,_)``), and call ``update(at:)`` when ``dueTime`` has come. ``rate`` is the
/// target bitrate, ``mediaRate(queued:at:)`` the bitrate of the next frame, and ``pacingRate(at:)`` the pacing rate.
///
/// It differs from GCC, which combines a one-way delay gradient with AIMD. Here the main signal is packet-train
/// dispersion, as in pathrate and in the probe clusters of WebRTC. Each frame is a train:
///
/// - **Capacity**: the bottleneck disperses a paced frame. Its bytes over its arrival span are the capacity
///   (`CapacityMeter`), and the rate aims at 98 % of that.
/// - **Pacing gain**: a lower rate has a higher gain (`PacingGain`). Flows whose trains interleave measure shares of
///   the capacity, and this gain makes the shares equal.
/// - **Queueing delay**: a virtual queue (`LinkModel`) predicts how long our own packets wait. The one-way delay
///   above the base delay and that prediction is cross traffic, or a capacity that fell (`QueueMeter`). The rate
///   moves until this delay meets a target, which is longer for a lower rate.
/// - **Search**: where jitter hides the dispersion, the rate rises until a standing queue appears, and falls with it.
/// - **Overload**: a delivery rate far below the send rate, with a queue, cuts the rate below the acknowledged rate.
///   Frames are skipped until the queue has drained (``isWindowFull(_:at:)``).
/// - **Loss** without queueing delay is ignored up to 20 %.
/// - **Feedback timeout**: after 1.5 s and a round trip without feedback the rate halves twice a second. When
///   feedback returns, a probe measures the path.
/// - **Idle sender**: the rate stays. After the idle period two frames are sent, and the rest waits for what they
///   measure (rate validation, compare RFC 7661).
///
/// ```swift
/// let number = history.record(.media, byteCount: datagram.count + 28, train: train, at: now)
/// estimate.recordSent(byteCount: datagram.count + 28, at: now)
/// …
/// estimate.take(feedback, of: &history, at: now)
/// pacer.setRate(estimate.pacingRate(at: now))
/// ```
///
/// ``decision`` reports each decision with its numbers. An encoder should follow ``mediaRate(queued:at:)`` with each
/// frame: this keeps the queue short.
///
/// Forged feedback is safe: the rate stays in its range, and the memory is fixed. It is a pure value with one owner
/// and reads no clock. It allocates nothing per packet.
public struct BandwidthEstimate: RateController {
    /// The target bitrate, with all packets and headers.
    public internal(set) var rate: Bitrate
    /// The bounds of ``rate``.
    public private(set) var range: ClosedRange<Bitrate>
    /// The number of cuts so far.
    public internal(set) var cutCount = 0
    /// The decision of the last update.
    public internal(set) var decision = RateDecision.none
    /// The loss fraction of the last one to two seconds, 0 to 1, whatever caused the loss.
    public var lossShare: Double { path.loss.share }
    /// The number of probe clusters that were requested so far.
    public var probeCount: Int { probes.count }

    /// The values that each packet and each frame reads between two feedbacks.
    @usableFromInline var limits: SendingLimits
    /// The fair rate under contention, in bits per second.
    var fairRate: Double
    let start: Double
    /// The caller's upper limit at present, in bits per second.
    var limit = Double.infinity
    /// The measurements of the path.
    var path = PathMeter()
    /// The packets of the last half second that arrived.
    var packets = Ring(capacity: 512, filler: ReceivedPacket())
    @usableFromInline var probes = ProbePlanner()
    var ceiling = Ceiling()
    var contention = Contention()
    var neighbor = Neighbor()
    private(set) var scatter = CapacityScatter()
    var drains = DrainSchedule()
    var recovery = DipRecovery()
    /// Whether the path had stalled at the last update.
    var isStalled = false
    /// The capacity of the path in bits per second; `nil` while it is unknown.
    private(set) var knownCapacity: Double?
    /// The capacity that the virtual queue assumes until the next update.
    private(set) var model: PathCapacity
    var lastUpdate: MediaTime?
    /// When contention or a path that bunches was detected the last time; at first, the time of the first update.
    private var burstObstacle: MediaTime?
    /// Until this time the rate neither rises nor is cut again.
    var holdUntil = BandwidthEstimate.never
    /// The start of a persistent queueing delay, and the highest rate since.
    var persistentQueue: (since: MediaTime, bits: Double)?
    /// The send time of the first packet since the last feedback, and the time of the feedback timeout.
    var waitingSince: MediaTime?
    @usableFromInline var silenceTime = MediaTime.distantFuture
    /// Whether the feedback timeout has expired.
    var isSilent = false
    /// Whether feedback reported a new outcome since the last update.
    var hasNewOutcomes = false
    /// The send time of the last packet; far in the future before the first.
    @usableFromInline var lastSent = MediaTime(nanoseconds: .max / 2)

    /// Packets leave in bursts after this time without an obstacle.
    private static let timeToBursts = MediaDuration.seconds(5)
    private static let never = MediaTime(nanoseconds: .min / 2)
    /// The shortest idle period that starts rate validation, in nanoseconds. Two seconds are longer than the gap
    /// between any two frames.
    @usableFromInline static var idleTime: Int64 { 2_000_000_000 }

    /// Creates an estimate before the first feedback.
    ///
    /// - Parameters:
    ///   - start: the initial rate.
    ///   - range: the bounds of the rate.
    public init(start: Bitrate, range: ClosedRange<Bitrate>) {
        (rate, self.range) = (start, range)
        limits = SendingLimits(bits: Double(start.bitsPerSecond))
        (self.start, fairRate) = (limits.bits, limits.bits)
        model = PathCapacity(limits.pathRate, isKnown: false)
        limits.setPace(capacity: nil)
    }

    /// ``rate`` with its fraction, in bits per second.
    var bits: Double {
        get { limits.bits }
        set { limits.bits = newValue }
    }

    /// The pacing rate. It exceeds the rate, so that trains measure capacity beyond it.
    ///
    /// Behind a standing queue of our own it drops to a little above the capacity: faster packets would only wait at
    /// the bottleneck.
    ///
    /// - Parameter now: the current time.
    @inlinable
    public func pacingRate(at now: MediaTime) -> Bitrate { limits.pace(at: now) }

    /// Whether packets of a frame may leave together: for five seconds neither contention was detected, nor a path that
    /// bunches packets.
    ///
    /// Flows whose trains interleave divide the capacity by what these measure. Bursts would make that less exact. On a
    /// path that bunches packets, bursts would make longer ones.
    @inlinable
    public var allowsBursts: Bool { limits.allowsBursts }

    /// The bitrate for the next frame: the rate, less what the pacer's queue and the bottleneck's queue need to
    /// drain.
    ///
    /// - Parameters:
    ///   - byteCount: the bytes in the pacer.
    ///   - now: the current time.
    @inlinable
    public func mediaRate(queued byteCount: Int, at now: MediaTime) -> Bitrate {
        limits.mediaRate(queued: byteCount, at: now)
    }

    /// Whether the in-flight window is full: then frames are skipped before they are encoded.
    ///
    /// - Parameters:
    ///   - bytesInFlight: the bytes in flight and in the pacer.
    ///   - now: the current time.
    @inlinable
    public func isWindowFull(_ bytesInFlight: Int, at now: MediaTime) -> Bool {
        limits.isWindowFull(bytesInFlight, at: now)
    }

    /// Whether the bytes in flight far exceed the bandwidth-delay product, so that the bottleneck's buffer overflows.
    /// Retransmitting what it drops is useless then.
    ///
    /// - Parameter bytesInFlight: the bytes in flight.
    public func isFlooded(_ bytesInFlight: Int) -> Bool {
        Double(bytesInFlight * 8) > bits * (path.roundTrip.seconds + BandwidthEstimate.floodLimit)
    }

    /// Whether the path has stalled: for much longer than usual nothing is known of any packet.
    ///
    /// - Parameter now: the current time.
    package func hasStalled(at now: MediaTime) -> Bool { limits.isStalled(at: now) }

    /// Records that a packet leaves now.
    ///
    /// - Parameters:
    ///   - byteCount: its size on the path in bytes.
    ///   - now: the current time.
    @inlinable
    public mutating func recordSent(byteCount: Int, at now: MediaTime) {
        limits.queue.add(limits.transmission.of(byteCount), at: now)
        probes.recordSent(byteCount: byteCount)
        if now.nanoseconds &- lastSent.nanoseconds > BandwidthEstimate.idleTime { validate(at: now) }
        lastSent = now
        limits.stall.recordSent(at: now)
        if silenceTime == .distantFuture { beginWaiting(at: now) }
    }

    /// Begins to validate the rate, after an idle period. Near the lower bound there is nothing to validate, and the
    /// narrow window would keep it there.
    @usableFromInline
    mutating func validate(at now: MediaTime) {
        if bits > 2 * Double(range.lowerBound.bitsPerSecond) { limits.validatingSince = now }
    }

    @usableFromInline
    mutating func beginWaiting(at now: MediaTime) {
        waitingSince = now
        silenceTime = now + duration(1.5 + min(path.roundTrip.seconds, 1))
    }

    /// Updates the rate, after the packets of a feedback, or when ``dueTime`` has come.
    ///
    /// - Parameter now: the current time.
    public mutating func update(at now: MediaTime) {
        defer { updateModel(at: now) }
        guard hasNewOutcomes else {
            if now >= silenceTime { halve(at: now) }
            return
        }
        // A short silence was an outage: the path is there again.
        if isSilent { move(to: max(bits, recovery.floor(for: DipRecovery.keptTime.silence, at: now))) }
        (hasNewOutcomes, isSilent) = (false, false)
        (waitingSince, silenceTime) = (nil, .distantFuture)
        decide(at: now)
    }

    /// When to call ``update(at:)`` if no feedback arrives before; in the distant future while no feedback is
    /// expected.
    public var dueTime: MediaTime { silenceTime }

    /// The probe cluster to send now, if one is worth its bytes.
    ///
    /// - Parameter now: the current time. The pacer is empty.
    /// - Returns: the cluster; `nil` for none.
    public mutating func takeProbe(at now: MediaTime) -> ProbeCluster? {
        guard now >= holdUntil, !isSilent, !limits.isStalled(at: now), limits.validatingSince == nil else { return nil }
        let most = Double(range.upperBound.bitsPerSecond)
        guard let cluster = probes.take(rate: bits, most: most, at: now) else { return nil }
        decision = .probe(cluster)
        return cluster
    }

    /// Sets the bounds of the rate from now on.
    package mutating func setRange(_ range: ClosedRange<Bitrate>) {
        self.range = range
        move(to: bits)
    }

    /// Requests a probe of a rate, though what is sent needs less: to know whether more would fit.
    ///
    /// - Parameter bitrate: the rate, at most the upper bound. Above the present rate it is worth its bytes, once in
    ///   some seconds.
    package mutating func requestProbe(of bitrate: Bitrate) { probes.request(Double(bitrate.bitsPerSecond)) }

    /// Records the bytes that a probe cluster sent.
    ///
    /// - Parameter byteCount: the bytes on the path.
    public mutating func recordProbe(byteCount: Int) { probes.recordProbe(byteCount: byteCount) }

    /// Resets the estimate for another path. It starts at the start rate or the present one, whichever is lower. The
    /// caller should discard the packets in the pacer.
    ///
    /// - Parameter now: the current time.
    public mutating func restart(at now: MediaTime) {
        var fresh = BandwidthEstimate(start: Bitrate(bitsPerSecond: Int(start)), range: range)
        fresh.bits = min(start, bits)
        fresh.limits.setPace(capacity: nil)
        (fresh.fairRate, fresh.rate) = (fresh.bits, Bitrate(bitsPerSecond: Int(fresh.bits)))
        (fresh.cutCount, fresh.probes, fresh.decision) = (cutCount, probes, .restart)
        fresh.probes.restart()
        self = fresh
    }

    /// Updates the model of the path (capacity, pacing rates, round trip) from the measurements.
    mutating func updateModel(at now: MediaTime) {
        knownCapacity = nil
        limits.pathRate = 1.05 * bits
        if path.queue.isBunching {
            knownCapacity = ceiling.rate.map { max($0, 1.05 * bits) }
        } else if case .capacity(let capacity) = path.capacity.reading {
            scatter.add(capacity, at: now)
            // Interleaved trains measure a share of the capacity only.
            knownCapacity = contention.isDetected ? BandwidthEstimate.hidden * capacity : capacity
        } else if case .atLeast(let seen) = path.capacity.reading {
            limits.pathRate = max(seen, limits.pathRate)
        }
        if competes { knownCapacity = sharedCapacity }
        if let knownCapacity { limits.pathRate = knownCapacity }
        model = PathCapacity(
            limits.pathRate, isKnown: knownCapacity != nil, shortest: path.queue.shortest,
            isBunching: path.queue.isBunching)
        limits.transmission = model.usual
        limits.setPace(
            capacity: knownCapacity, isBunching: path.queue.isBunching, isSteady: scatter.isSteady)
        (limits.roundTrip, limits.delivered) = (path.roundTrip.seconds, path.acknowledged.smoothed)
        let excess = min(path.queue.expected, 0.15) - targetQueue(fairRate)
        limits.reserve = contention.isDetected && !competes ? BandwidthEstimate.damping * bits * excess : 0
        let isObstructed = contention.isDetected || neighbor.isDelayBased || path.queue.isBunching
        let lastObstacle = isObstructed ? now : burstObstacle ?? now
        burstObstacle = lastObstacle
        limits.allowsBursts = now - lastObstacle >= BandwidthEstimate.timeToBursts
    }

    func isStarting(at now: MediaTime) -> Bool { now < limits.startEnd }
}
