import Glibc
import RillCore

/// Estimates what a path carries from reception reports alone: for a remote side that does not report when each packet
/// arrives.
///
/// Take the sum of each report's blocks, each REMB, and call ``update(at:)`` when ``dueTime`` has come; then ask for
/// the ``rate(at:)``.
///
/// It is a loss-based controller as in draft-ietf-rmcat-gcc §6 and libwebrtc, with a slow start before it:
///
/// - **Slow start**: a report with at most 2 % of loss doubles the rate, until the first loss or queue. Above four
///   times the start it raises it by a quarter: reports come once a second, and an overshoot lasts until the next one.
/// - **Increase**: after that 5 % a second, and 2 % near the rate at which the path was last full.
/// - **Hold** from 2 to 10 % of loss, which may be chance; but an increase that such a loss follows is taken back.
/// - **Decrease** above 10 %: by half of the share that was lost. Where the rate was used and either slow start or a
///   queue explains the loss, the rate falls a little below what arrived.
/// - **Queue**: a round trip that is 60 ms above its minimum ends the increase, and lowers the rate if it stays. Some
///   receivers report wrong delays, so this alone does not go below the start.
/// - **Application-limited**: what was not sent shows nothing. The rate goes up to twice what was used or four times
///   the start, no further. With less, the next layer of a simulcast could not be tried: layers differ by about that.
/// - **REMB** is an upper bound, until none came for 15 s.
/// - **Silence**: three intervals without a report lead back to the start (as RFC 5681 §4.1 does after idle time).
///
/// Reports come from the remote side: any value is safe, and the rate stays in its range. Circuit breakers (RFC 8083)
/// stand above it.
struct LossBasedEstimate: Sendable {
    /// What a report says of all streams together, and what was sent.
    struct Report: Sendable {
        /// The packets between the highest numbers of this report and the one before.
        var packetsExpected = 0
        /// Those of them that did not arrive; negative if late ones or duplicates made good for former ones.
        var packetsLost = 0
        /// A new measurement of the round trip; `nil` if the report has none.
        var roundTripTime: MediaDuration?
        /// The interarrival jitter.
        var jitter = MediaDuration.zero
        /// The packets that have left so far.
        var packetsSent = 0
        /// Their bytes, with all headers.
        var bytesSent = 0
    }

    private var bits: Double
    private let start: Double
    private var range: ClosedRange<Double>
    private var isSlowStart = true
    /// The rate before the last decision, if that was an increase.
    private var rateBeforeIncrease: Double?
    /// What arrived when the path was last full, in bits per second.
    private var ceiling: Double?
    /// What was reported since the last decision, and what had been sent then.
    private var window: (since: MediaTime, expected: Int, lost: Int, packetsSent: Int, bytesSent: Int)?
    private var holdUntil = MediaTime(nanoseconds: .min / 2)
    private var roundTrips = WindowedRoundTrip()
    /// How often in a row the round trip showed a queue.
    private var queueCount = 0
    /// The maximum of the newest REMB, and until when it holds.
    private var maximum: (bits: Double, until: MediaTime)?
    private var lastReport: MediaTime?
    /// The usual time between reports, in seconds.
    private var interval = LossBasedEstimate.intervals.upperBound

    // MARK: Constants

    /// Up to which loss the rate rises, and above which it falls (draft-ietf-rmcat-gcc §6).
    private static let lossLimits = (increase: 0.02, decrease: 0.1)
    /// The packets from which a share of lost ones is computed (libwebrtc: 20).
    private static let leastPackets = 20
    /// After so long fewer have to do, in seconds.
    private static let longestWindow = 5.0
    /// The factor of slow start; where reports are so rare that the next one shows an overshoot late; and at high
    /// rates.
    private static let slowStart = (factor: 2.0, rareFactor: 1.5, rareInterval: 2.0, highFactor: 1.25)
    /// The increase of a second (draft-ietf-rmcat-gcc §6: 5 % a report), near the ceiling, and the longest time that
    /// counts.
    private static let increase = (usual: 1.05, near: 1.02, longest: 2.0)
    private static let nearCeiling = 0.9...1.1
    /// What is left of the rate at which packets arrived, so that the queue drains.
    private static let aim = 0.95
    /// The same where few are lost.
    private static let full = 0.98
    /// The least that one decision leaves of the rate.
    private static let deepestCut = 0.4
    /// What is left where a queue stands without loss.
    private static let queueCut = 0.9
    /// A queue as long as that delays, in seconds: LEDBAT's target is at most 100 ms (RFC 6817 §3.3), and a report
    /// comes late. And how much jitter counts, at most.
    private static let queueLimit = 0.06
    private static let mostJitter = 0.05
    /// Longer round trips are mistakes of the receiver's.
    private static let longestRoundTrip = MediaDuration.seconds(3)
    /// The rate counts as used from this share on.
    private static let usedShare = 0.6
    /// How far the rate goes beyond what was used, and beyond the start.
    private static let unused = (ofUsed: 2.0, ofStart: 4.0)
    /// Between two decisions, beside the round trip: the last one must show (libwebrtc: 300 ms).
    private static let spacing = MediaDuration.milliseconds(300)
    /// Three intervals of the slowest senders of REMB.
    static let maximumLifetime = MediaDuration.seconds(15)
    /// The interval of reports, in seconds: 5 s is RFC 3550's minimum.
    private static let intervals = 1.0...5.0

    /// Creates an estimate before the first report.
    init(start: Bitrate, range: ClosedRange<Bitrate>) {
        bits = Double(start.bitsPerSecond)
        self.start = bits
        self.range = LossBasedEstimate.bits(range)
    }

    private static func bits(_ range: ClosedRange<Bitrate>) -> ClosedRange<Double> {
        Double(range.lowerBound.bitsPerSecond)...Double(range.upperBound.bitsPerSecond)
    }

    /// Sets the bounds of the rate from now on.
    mutating func setRange(_ range: ClosedRange<Bitrate>) {
        self.range = LossBasedEstimate.bits(range)
        bits = min(max(bits, self.range.lowerBound), self.range.upperBound)
    }

    /// The rate to send at, all packets and headers included.
    func rate(at now: MediaTime) -> Bitrate {
        Bitrate(bitsPerSecond: Int(max(min(bits, currentMaximum(at: now) ?? .infinity), range.lowerBound)))
    }

    private func currentMaximum(at now: MediaTime) -> Double? { maximum.flatMap { now < $0.until ? $0.bits : nil } }

    /// Whether a REMB limits the rate now.
    func hasMaximum(at now: MediaTime) -> Bool { currentMaximum(at: now) != nil }

    // MARK: Feedback

    /// Takes a REMB.
    ///
    /// - Parameters:
    ///   - bitsPerSecond: any value; 0 says nothing, as in libwebrtc.
    ///   - now: the current time.
    mutating func take(maximum bitsPerSecond: UInt64, at now: MediaTime) {
        guard bitsPerSecond > 0 else { return }
        maximum = (min(Double(bitsPerSecond), range.upperBound), now + LossBasedEstimate.maximumLifetime)
        move(to: bits, at: now)
    }

    /// Takes a report.
    mutating func take(_ report: Report, at now: MediaTime) {
        noteReport(at: now)
        noteQueue(report, at: now)
        guard let former = window else {
            // The first report shows that packets arrive, not how many were sent in which time.
            begin(report, at: now)
            if report.packetsExpected > 0, report.packetsLost <= 0 { grow(in: 0, sent: 0, at: now) }
            return
        }
        let expected = former.expected + max(report.packetsExpected, 0)
        let lost = former.lost + min(max(report.packetsLost, -expected), expected)
        window?.expected = expected
        window?.lost = lost
        guard now >= holdUntil else { return }
        let (elapsed, packets) = ((now - former.since).seconds, report.packetsSent - former.packetsSent)
        guard elapsed > 0 else { return }
        let sent = 8 * Double(max(report.bytesSent - former.bytesSent, 0)) / elapsed
        if expected > 0 {
            guard lost <= 0 || expected >= LossBasedEstimate.leastPackets || elapsed >= LossBasedEstimate.longestWindow
            else { return }
            decide(loss: min(max(Double(lost) / Double(expected), 0), 1), in: elapsed, sent: sent, at: now)
        } else {
            // They report, and nothing of what left arrived.
            guard packets >= LossBasedEstimate.leastPackets, elapsed >= 1 else { return }
            decide(loss: 1, in: elapsed, sent: sent, at: now)
        }
        begin(report, at: now)
    }

    private mutating func noteReport(at now: MediaTime) {
        if let lastReport {
            let bounds = LossBasedEstimate.intervals
            let gap = min(max((now - lastReport).seconds, bounds.lowerBound), bounds.upperBound)
            interval += (gap - interval) / 4
        }
        lastReport = now
    }

    private mutating func noteQueue(_ report: Report, at now: MediaTime) {
        guard let time = report.roundTripTime, time >= .zero, time <= LossBasedEstimate.longestRoundTrip else { return }
        roundTrips.add(time.seconds, at: now)
        let jitter = min(max(report.jitter.seconds, 0), LossBasedEstimate.mostJitter)
        let limit = LossBasedEstimate.queueLimit + 2 * jitter
        // A long queue at once, a shorter one if it stays: single packets are late for many reasons.
        queueCount = roundTrips.queue > limit ? queueCount + (roundTrips.queue > 2 * limit ? 2 : 1) : 0
    }

    private mutating func begin(_ report: Report, at now: MediaTime) {
        window = (now, 0, 0, report.packetsSent, report.bytesSent)
        holdUntil = now + LossBasedEstimate.spacing + .seconds(roundTrips.newest)
    }

    /// When ``update(at:)`` is due: no report came for too long.
    var dueTime: MediaTime {
        guard let lastReport, bits > start else { return .distantFuture }
        return lastReport + .seconds(3 * interval)
    }

    /// Begins again from the start, if no report came for too long.
    mutating func update(at now: MediaTime) {
        guard dueTime <= now else { return }
        (window, lastReport, ceiling, rateBeforeIncrease, isSlowStart) = (nil, nil, nil, nil, true)
        move(to: min(bits, start), at: now)
    }

    /// Lowers the rate for a reason that reports do not show.
    mutating func reduce(to bitrate: Bitrate, at now: MediaTime) {
        (isSlowStart, rateBeforeIncrease) = (false, nil)
        move(to: min(bits, Double(bitrate.bitsPerSecond)), at: now)
    }

    // MARK: Decisions

    private mutating func decide(loss: Double, in elapsed: Double, sent: Double, at now: MediaTime) {
        let limits = LossBasedEstimate.lossLimits
        let isQueued = queueCount >= 2
        if loss > limits.decrease || (loss > limits.increase && (isQueued || rateBeforeIncrease != nil)) {
            decrease(loss: loss, sent: sent, isQueued: isQueued, at: now)
        } else if loss > limits.increase {
            (isSlowStart, rateBeforeIncrease) = (false, nil)
        } else if isQueued || (isSlowStart && queueCount > 0) {
            drain(at: now)
        } else if queueCount == 0 {
            grow(in: elapsed, sent: sent, at: now)
        } else {
            rateBeforeIncrease = nil
        }
    }

    private mutating func decrease(loss: Double, sent: Double, isQueued: Bool, at now: MediaTime) {
        let arrived = sent * (1 - loss)
        let isUsed = sent > LossBasedEstimate.usedShare * bits
        var next = bits * (1 - loss / 2)
        if isUsed, isSlowStart || isQueued {
            next = min(next, LossBasedEstimate.aim * arrived)
        } else if loss <= LossBasedEstimate.lossLimits.decrease, let rateBeforeIncrease {
            // Chance losses, which no rate ends, must not lead down step by step.
            let least = min(rateBeforeIncrease, start / 2)
            next = isUsed ? max(min(rateBeforeIncrease, LossBasedEstimate.full * arrived), least) : rateBeforeIncrease
        }
        if isUsed { ceiling = arrived }
        (isSlowStart, rateBeforeIncrease, queueCount) = (false, nil, 0)
        move(to: max(next, LossBasedEstimate.deepestCut * bits), at: now)
    }

    private mutating func drain(at now: MediaTime) {
        var next = bits * LossBasedEstimate.queueCut
        if isSlowStart, let rateBeforeIncrease { next = rateBeforeIncrease }
        ceiling = bits
        (isSlowStart, rateBeforeIncrease, queueCount) = (false, nil, 0)
        move(to: max(next, min(bits, start)), at: now)
    }

    private mutating func grow(in elapsed: Double, sent: Double, at now: MediaTime) {
        if let full = ceiling, bits > LossBasedEstimate.nearCeiling.upperBound * full { ceiling = nil }
        let (slowStart, unused) = (LossBasedEstimate.slowStart, LossBasedEstimate.unused)
        var factor = elapsed > slowStart.rareInterval ? slowStart.rareFactor : slowStart.factor
        if isSlowStart {
            if bits >= unused.ofStart * start { factor = slowStart.highFactor }
        } else {
            let isNear = ceiling.map { bits > LossBasedEstimate.nearCeiling.lowerBound * $0 } ?? false
            let increase = LossBasedEstimate.increase
            factor = pow(isNear ? increase.near : increase.usual, min(elapsed, increase.longest))
        }
        rateBeforeIncrease = bits
        move(to: min(factor * bits, max(bits, unused.ofStart * start, unused.ofUsed * sent)), at: now)
    }

    private mutating func move(to value: Double, at now: MediaTime) {
        let most = min(range.upperBound, currentMaximum(at: now) ?? .infinity)
        bits = max(min(value, most), range.lowerBound)
    }
}

/// The round trip and its minimum of the last 30 to 60 s.
private struct WindowedRoundTrip: Sendable {
    /// The newest measurement, in seconds; 0 before the first.
    private(set) var newest = 0.0
    private var minimum = (former: Double.infinity, current: Double.infinity)
    private var since: MediaTime?
    /// Long enough to see the path without a queue, and not so long that another route is taken for one.
    private static let length = MediaDuration.seconds(30)

    mutating func add(_ time: Double, at now: MediaTime) {
        if since.map({ now - $0 >= WindowedRoundTrip.length }) ?? true {
            since = now
            minimum = (minimum.current, .infinity)
        }
        newest = time
        minimum.current = min(minimum.current, time)
    }

    /// How much longer the newest one is than the minimum, in seconds.
    var queue: Double { max(newest - min(minimum.former, minimum.current), 0) }
}
