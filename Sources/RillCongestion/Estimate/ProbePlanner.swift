public import RillCore

/// Packets to send in one row, to see whether the path carries a rate: retransmissions of recent packets first, padding where there are
/// none.
public struct ProbeCluster: Equatable, Sendable {
    /// The bytes in all, on the path.
    public var byteCount: Int
    /// The packets to split them into, at least.
    public var packetCount: Int
    /// The rate to send them at.
    public var rate: Bitrate
}

/// Decides when a probe is worth its bytes.
///
/// A frame of two packets is a probe itself, as it is paced faster than the rate. So probes are sent only where frames fit into one packet:
/// by senders of little, who could not know otherwise what the path carries. Padding takes 2 % of all bytes at most, beside a first
/// allowance.
@usableFromInline
struct ProbePlanner: Sendable {
    /// The probes so far.
    private(set) var count = 0
    /// The bytes that may be padding, less those that were, times ``period``.
    @usableFromInline var allowance = 10_000 * ProbePlanner.period
    private var lastTrain: MediaTime?
    private var lastProbe: MediaTime?
    private var asked: Double?

    /// One of so many bytes may be padding.
    @usableFromInline static var period: Int { 50 }
    @usableFromInline static var most: Int { 20_000 * period }
    /// At twice the rate a probe of this length shows a capacity in arrival times of 250 µs.
    private static let length = 0.015

    /// Notes a packet that was sent.
    @inlinable @inline(__always)
    mutating func recordSent(byteCount: Int) {
        allowance = min(allowance &+ byteCount, ProbePlanner.most)
    }

    /// Notes a train of at least two packets.
    mutating func recordTrain(at now: MediaTime) { lastTrain = now }

    /// Whether trains showed something in the last seconds.
    func isSighted(within length: MediaDuration, at now: MediaTime) -> Bool {
        lastTrain.map { now - $0 <= length } ?? false
    }

    /// Asks for a probe of a rate that was known before, as soon as one can be sent.
    mutating func ask(for rate: Double) { asked = rate }

    /// Notes what a probe took: whole packets, and so often more than was asked for.
    mutating func recordProbe(byteCount: Int) { allowance &-= byteCount &* ProbePlanner.period }

    /// The probe that is due. What is sent of it is to be noted by ``recordProbe(byteCount:)``.
    ///
    /// - Parameters:
    ///   - rate: the present rate in bits per second.
    ///   - most: the highest rate of interest.
    ///   - now: the current time.
    mutating func take(rate: Double, most: Double, at now: MediaTime) -> ProbeCluster? {
        guard lastProbe.map({ now - $0 > .milliseconds(300) }) ?? true else { return nil }
        guard asked != nil || !isSighted(within: .seconds(1), at: now), rate < 0.95 * most else { return nil }
        let target = min(max(2 * rate, asked ?? 0), most)
        let byteCount = max(1000, target * ProbePlanner.length / 8)
        guard Int(byteCount * Double(ProbePlanner.period)) <= allowance else { return nil }
        if rate > 0.5 * target { asked = nil }
        lastProbe = now
        count += 1
        return ProbeCluster(byteCount: Int(byteCount), packetCount: 5, rate: Bitrate(bitsPerSecond: Int(target)))
    }

    /// Begins anew on another path.
    mutating func restart() { (lastTrain, lastProbe, asked) = (nil, nil, nil) }
}
