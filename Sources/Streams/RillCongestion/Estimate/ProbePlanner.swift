public import RillCore

/// A probe cluster: packets that are sent back to back to measure whether the path carries a rate. The caller chooses
/// the packets: a session retransmits its newest ones by RTX, which also repair a loss.
public struct ProbeCluster: Equatable, Sendable {
    /// The size of the cluster on the path, in bytes.
    public var byteCount: Int
    /// The minimum number of packets.
    public var packetCount: Int
    /// The rate to send them at.
    public var rate: Bitrate
}

/// Decides when a probe cluster is worth its bytes.
///
/// A frame of two or more packets is a probe by itself, as it is paced above the rate. So clusters are sent only by
/// application-limited senders whose frames fit into one packet. Padding is limited to 2 % of all bytes, after an
/// initial allowance.
@usableFromInline
struct ProbePlanner: Sendable {
    /// The number of clusters so far.
    private(set) var count = 0
    /// The allowance of padding bytes, times ``period``. It starts with 10 kB: at most ten clusters of a slow sender.
    @usableFromInline var allowance = 10_000 * ProbePlanner.period
    private var lastTrain: MediaTime?
    private var lastProbe: MediaTime?
    private var asked: Double?
    private var requested: Double?
    /// Whether the last cluster was requested.
    private var isByRequest = false

    /// One of this many bytes may be padding.
    @usableFromInline static var period: Int { 50 }
    @usableFromInline static var most: Int { 20_000 * period }
    /// The duration of a cluster at its own rate, in seconds. Arrival times have steps of 250 µs, so 15 ms are
    /// measured to 2 %. WebRTC uses the same 15 ms and five packets.
    private static let length = 0.015

    /// Records a packet that was sent.
    @inlinable @inline(__always)
    mutating func recordSent(byteCount: Int) {
        allowance = min(allowance &+ byteCount, ProbePlanner.most)
    }

    /// Records a train of at least two packets.
    mutating func recordTrain(at now: MediaTime) { lastTrain = now }

    /// Whether a train was measured within a time before now.
    func isSighted(within length: MediaDuration, at now: MediaTime) -> Bool {
        lastTrain.map { now - $0 <= length } ?? false
    }

    /// Requests a probe of a rate that was known before, such as the rate before a feedback timeout.
    mutating func ask(for rate: Double) { asked = rate }

    /// Requests one probe of a rate, whatever the share of padding: who requests it limits how often.
    mutating func request(_ rate: Double) { requested = rate }

    /// Records the bytes of a cluster. Whole packets often exceed the size that was planned.
    mutating func recordProbe(byteCount: Int) {
        if !isByRequest { allowance &-= byteCount &* ProbePlanner.period }
    }

    /// Returns the cluster that is due. The caller reports its bytes by ``recordProbe(byteCount:)``.
    ///
    /// - Parameters:
    ///   - rate: the present rate in bits per second.
    ///   - most: the highest rate of interest.
    ///   - now: the current time.
    mutating func take(rate: Double, most: Double, at now: MediaTime) -> ProbeCluster? {
        guard lastProbe.map({ now - $0 > .milliseconds(300) }) ?? true else { return nil }
        isByRequest = requested != nil
        if let rate = requested.take().map({ min($0, most) }), rate > 0 { return cluster(of: rate, at: now) }
        guard asked != nil || !isSighted(within: .seconds(1), at: now), rate < 0.95 * most else { return nil }
        let target = min(max(2 * rate, asked ?? 0), most)
        guard ProbePlanner.byteCount(at: target) * ProbePlanner.period <= allowance else { return nil }
        if rate > 0.5 * target { asked = nil }
        return cluster(of: target, at: now)
    }

    private static func byteCount(at rate: Double) -> Int { Int(max(1000, rate * length / 8)) }

    private mutating func cluster(of rate: Double, at now: MediaTime) -> ProbeCluster {
        lastProbe = now
        count += 1
        return ProbeCluster(
            byteCount: ProbePlanner.byteCount(at: rate), packetCount: 5, rate: Bitrate(bitsPerSecond: Int(rate)))
    }

    /// Resets the planner for another path.
    mutating func restart() { (lastTrain, lastProbe, asked, requested) = (nil, nil, nil, nil) }
}
