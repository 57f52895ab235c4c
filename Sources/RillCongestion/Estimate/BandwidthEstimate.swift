public import RillCore

/// Estimates what a path carries, from what was sent and what feedback says of it.
///
/// Feed it with each packet that leaves (``recordSent(byteCount:at:)``) and with feedback (``take(_:of:at:)-(TransportFeedback,_,_)``), and call
/// ``update(at:)`` when ``dueTime`` has come. ``rate`` is what to send, ``mediaRate(queued:at:)`` what the next frame
/// may have of it, and ``pacingRate(at:)`` how fast its packets leave.
///
/// - The capacity comes from packet trains (`CapacityMeter`); the rate aims a little below it.
/// - The lower the rate, the faster packets leave beside it (`PacingGain`). So flows whose trains lie between each other become equal, though
///   each takes its share of the path for the whole.
/// - What our own packets should wait is known (`LinkModel`). What waits beside that is a queue of others, or of a capacity that fell: the
///   rate moves until that queue is what a flow of this rate aims at, a longer one for a lower rate. So flows that share a queue become
///   equal.
/// - Where jitter hides the trains, the rate rises until a queue stands, and falls with it (`QueueMeter`).
/// - Packets that arrive much more slowly than they left, behind a queue, are an overload: the rate is cut below the acknowledged one, and
///   frames are left out until the queue has drained (``isWindowFull(_:at:)``).
/// - Loss without a queue changes nothing until every fifth packet is lost.
/// - Without any feedback for a second and a half the rate is halved twice a second. When feedback returns, a probe shows what the path carries.
/// - A sender that rests keeps its rate. When it returns, it sends two frames, and waits for what they show.
///
/// ```swift
/// let number = history.record(.media, byteCount: datagram.count + 28, train: train, at: now)
/// estimate.recordSent(byteCount: datagram.count + 28, at: now)
/// …
/// estimate.take(feedback, of: &history, at: now)
/// pacer.setRate(estimate.pacingRate(at: now))
/// ```
///
/// Each decision has its numbers (``decision``). An encoder should follow ``mediaRate(queued:at:)`` with each frame: it is what keeps the queue
/// short.
///
/// Any feedback is safe: the rate stays in its range, and memory is fixed. A pure value with one owner: it reads no clock. Nothing is
/// allocated per packet.
public struct BandwidthEstimate: RateController {
    /// The rate to send at, all packets and headers included.
    public internal(set) var rate: Bitrate
    /// The bounds of the rate.
    public let range: ClosedRange<Bitrate>
    /// Cuts so far.
    public internal(set) var cutCount = 0
    /// What the last update decided.
    public internal(set) var decision = RateDecision.none
    /// The share of packets that were lost in the last one to two seconds, 0 to 1, for whatever reason.
    public var lossShare: Double { path.loss.share }
    /// The probes that were asked for so far.
    public var probeCount: Int { probes.count }

    /// What is asked between two feedbacks.
    @usableFromInline var limits: SendingLimits
    /// The rate that the queue of others allows.
    var fairRate: Double
    let start: Double
    /// The highest rate that the caller allows now, in bits per second.
    var limit = Double.infinity
    /// What the packets that were reported tell of the path.
    var path = PathMeter()
    /// Those of the last half second that arrived.
    var packets = Ring(capacity: 512, filler: ReceivedPacket())
    @usableFromInline var probes = ProbePlanner()
    var ceiling = Ceiling()
    var contention = Contention()
    private var scatter = CapacityScatter()
    var drains = DrainSchedule()
    /// What the path carries, in bits per second, where that is known.
    private(set) var knownCapacity: Double?
    /// What it is taken to carry until the next update.
    private(set) var model: PathCapacity
    var lastUpdate: MediaTime?
    /// No increase and no further cut before that time.
    var holdUntil = BandwidthEstimate.never
    /// Since when a queue stands, and the highest rate since.
    var persistentQueue: (since: MediaTime, bits: Double)?
    /// When the first packet left about which nothing was heard since, and when that is too long.
    var waitingSince: MediaTime?
    @usableFromInline var silenceTime = MediaTime.distantFuture
    /// Whether no feedback comes.
    var isSilent = false
    /// Whether feedback told something new since the last update.
    var hasNewOutcomes = false
    /// When the last packet was sent; in the future before the first.
    @usableFromInline var lastSent = MediaTime(nanoseconds: .max / 2)

    private static let never = MediaTime(nanoseconds: .min / 2)
    /// A sender that sent nothing for so long has rested, in nanoseconds.
    @usableFromInline static var idleTime: Int64 { 2_000_000_000 }

    /// An estimate before the first feedback.
    ///
    /// - Parameters:
    ///   - start: the rate to begin with.
    ///   - range: the bounds of the rate.
    public init(start: Bitrate, range: ClosedRange<Bitrate>) {
        (rate, self.range) = (start, range)
        limits = SendingLimits(bits: Double(start.bitsPerSecond))
        (self.start, fairRate) = (limits.bits, limits.bits)
        model = PathCapacity(limits.pathRate, isKnown: false)
        limits.setPace(capacity: nil)
    }

    /// ``rate`` with its fraction.
    var bits: Double {
        get { limits.bits }
        set { limits.bits = newValue }
    }

    /// How fast packets leave: faster than the rate, so that trains show what the path carries beyond it. Behind a queue of our own that would
    /// only wait at the bottleneck, they leave little faster than that sends them.
    ///
    /// - Parameter now: the current time.
    @inlinable
    public func pacingRate(at now: MediaTime) -> Bitrate { limits.pace(at: now) }

    /// What the next frame may be encoded at: the rate, less what waits already.
    ///
    /// - Parameters:
    ///   - byteCount: what waits in the pacer.
    ///   - now: the current time.
    @inlinable
    public func mediaRate(queued byteCount: Int, at now: MediaTime) -> Bitrate {
        limits.mediaRate(queued: byteCount, at: now)
    }

    /// Whether so many bytes in flight are more than the path needs: then frames are left out before they are encoded.
    ///
    /// - Parameters:
    ///   - bytesInFlight: the bytes whose outcome is open, and those in the pacer.
    ///   - now: the current time.
    @inlinable
    public func isWindowFull(_ bytesInFlight: Int, at now: MediaTime) -> Bool {
        limits.isWindowFull(bytesInFlight, at: now)
    }

    /// Whether so many bytes in flight take far longer than the round trip: a queue that drops most of what comes. What is lost of them is
    /// then not worth sending again.
    ///
    /// - Parameter bytesInFlight: the bytes whose outcome is open.
    public func isFlooded(_ bytesInFlight: Int) -> Bool {
        Double(bytesInFlight * 8) > bits * (path.roundTrip.seconds + BandwidthEstimate.floodLimit)
    }

    /// Notes that a packet leaves now.
    ///
    /// - Parameters:
    ///   - byteCount: its size on the path in bytes.
    ///   - now: the current time.
    @inlinable
    public mutating func recordSent(byteCount: Int, at now: MediaTime) {
        limits.queue.add(limits.transmission.of(byteCount), at: now)
        probes.recordSent(byteCount: byteCount)
        if now.nanoseconds &- lastSent.nanoseconds > BandwidthEstimate.idleTime { limits.validatingSince = now }
        lastSent = now
        if silenceTime == .distantFuture { beginWaiting(at: now) }
    }

    @usableFromInline
    mutating func beginWaiting(at now: MediaTime) {
        waitingSince = now
        silenceTime = now + duration(1.5 + min(path.roundTrip.seconds, 1))
    }

    /// Works out the rate anew, after the packets of a feedback, or when ``dueTime`` has come.
    ///
    /// - Parameter now: the current time.
    public mutating func update(at now: MediaTime) {
        defer { updateModel(at: now) }
        guard hasNewOutcomes else {
            if now >= silenceTime { halve(at: now) }
            return
        }
        (hasNewOutcomes, isSilent) = (false, false)
        (waitingSince, silenceTime) = (nil, .distantFuture)
        decide(at: now)
    }

    /// When to call ``update(at:)`` if no feedback arrives before; in the distant future while nothing is waited for.
    public var dueTime: MediaTime { silenceTime }

    /// The probe to send now, if one is worth its bytes.
    ///
    /// - Parameter now: the current time; the pacer is empty.
    /// - Returns: what to send; `nil` for nothing.
    public mutating func takeProbe(at now: MediaTime) -> ProbeCluster? {
        guard now >= holdUntil, !isSilent, limits.validatingSince == nil else { return nil }
        let most = Double(range.upperBound.bitsPerSecond)
        guard let cluster = probes.take(rate: bits, most: most, at: now) else { return nil }
        decision = .probe(cluster)
        return cluster
    }

    /// Notes what was sent for a probe.
    ///
    /// - Parameter byteCount: the bytes on the path.
    public mutating func recordProbe(byteCount: Int) { probes.recordProbe(byteCount: byteCount) }

    /// Begins anew on another path, at the start rate or the present one, whichever is lower. What waits in the pacer is better discarded.
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

    /// Takes over what the path carries, as trains show it, or as it seems.
    mutating func updateModel(at now: MediaTime) {
        knownCapacity = nil
        limits.pathRate = 1.05 * bits
        if path.queue.isBunching {
            knownCapacity = ceiling.rate.map { max($0, 1.05 * bits) }
        } else if case .capacity(let capacity) = path.capacity.reading {
            scatter.add(capacity, at: now)
            // Trains that lie between those of others show what is theirs, not what could be.
            knownCapacity = contention.isDetected ? BandwidthEstimate.hidden * capacity : capacity
        } else if case .atLeast(let seen) = path.capacity.reading {
            limits.pathRate = max(seen, limits.pathRate)
        }
        if let knownCapacity { limits.pathRate = knownCapacity }
        model = PathCapacity(
            limits.pathRate, isKnown: knownCapacity != nil, shortest: path.queue.shortest,
            isBunching: path.queue.isBunching)
        limits.transmission = model.usual
        limits.setPace(
            capacity: knownCapacity, isBunching: path.queue.isBunching, isSteady: scatter.isSteady)
        limits.roundTrip = path.roundTrip.seconds
        let excess = min(path.queue.expected, 0.15) - BandwidthEstimate.targetQueue(fairRate)
        limits.reserve = contention.isDetected ? BandwidthEstimate.damping * bits * excess : 0
    }

    func isStarting(at now: MediaTime) -> Bool { now < limits.startEnd }
}
