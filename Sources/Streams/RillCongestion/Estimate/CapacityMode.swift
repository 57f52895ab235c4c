import RillCore

/// Finds packets of other flows between our own, from the dispersion of single runs of packets.
///
/// Behind a queue, a run of consecutive packets arrives at exactly the capacity, unless packets of other flows lie
/// between them: then it arrives more slowly. So runs at a shared bottleneck have a mode at the capacity, and others
/// below it (the capacity mode of Dovrolis et al., "Packet-dispersion techniques and a capacity-estimation
/// methodology"). The share of runs that attain the highest rate distinguishes three cases:
///
/// - Nearly all attain it: no other flow is there.
/// - Hardly any attains it: the capacity itself varies, as that of a radio link does. Its highest rate is soon past.
/// - Some attain it, and some do not: the capacity is constant, and other flows share it.
struct CapacityMode: Sendable {
    /// Whether the runs show a constant capacity that other flows share.
    private(set) var isInterleaved = false
    /// Whether most runs are at the highest rate: the capacity is constant, whether others share it or not.
    var isConstant: Bool { count >= CapacityMode.fewest && share > CapacityMode.shares.constant }
    /// The highest rate of a run, in bits per nanosecond, by the lowest estimate that the steps of arrival times allow.
    private(set) var highest = 0.0

    /// The shortest run, and the step of arrival times in feedback, in nanoseconds. The ratio is the error of a rate.
    private static let shortest: Int64 = 2_000_000
    private static let step = 250_000.0
    /// A run that arrives at another rate than it left at by this share met a queue.
    private static let dispersion: Int64 = 10
    /// A higher rate by this factor is another capacity.
    private static let change = 1.1
    /// The number of runs that show a higher rate, without one at the highest rate between them, before it counts.
    private static let confirmations = 3
    /// The highest rate falls by this share a second, so that a lower capacity is found after some time.
    private static let decay = 0.01
    /// After this number of runs below it, the highest rate is no capacity any more.
    private static let mostMisses = 1000
    /// After this number of runs below it, it is no evidence of other flows any more: the capacity may have fallen.
    private static let recent = 30
    /// The fewest runs that show anything, and the weight of one run.
    private static let fewest = 40
    private static let weight = 0.015
    /// The share of runs at the highest rate: to find a shared capacity, to stay with it, and that of a sole flow.
    /// Radio links stay below the second mostly, and three flows whose frames interleave stay above it.
    private static let shares = (found: 0.2, kept: 0.05, constant: 0.5, sole: 0.985)

    /// A rate above the highest one, and the number of runs that show it.
    private var candidate = (rate: 0.0, count: 0)
    private var share = 0.0
    private var (count, misses) = (0, 0)
    /// When a run showed something the last time, by the receiver's clock.
    private(set) var last = MediaTime.zero
    /// The start of the present run: when its first packet left and arrived, and the bytes after that packet.
    private var start = (sent: MediaTime.zero, arrival: MediaTime.zero)
    private var byteCount: Int64 = 0

    /// Starts a run with a packet that arrived.
    @inline(__always)
    mutating func begin(_ packet: PacketRecord, arrival: MediaTime) {
        start = (packet.sendTime, arrival)
        byteCount = 0
    }

    /// Adds the next packet of the train.
    @inline(__always)
    mutating func add(_ packet: PacketRecord, arrival: MediaTime) {
        byteCount &+= Int64(packet.byteCount)
        let span = arrival.nanoseconds &- start.arrival.nanoseconds
        guard span >= CapacityMode.shortest else { return }
        let sent = packet.sendTime.nanoseconds &- start.sent.nanoseconds
        let difference = (span &- sent).magnitude
        classify(
            span: Double(span), metQueue: difference > UInt64(max(sent / CapacityMode.dispersion, 250_000)), at: arrival
        )
        begin(packet, arrival: arrival)
    }

    /// Compares a run with the highest rate.
    private mutating func classify(span: Double, metQueue: Bool, at now: MediaTime) {
        let bits = 8 * Double(byteCount)
        let least = bits / (span + CapacityMode.step)
        let isHigher = least > CapacityMode.change * highest
        if metQueue, isHigher, highest > 0, !isConfirmed(least) { return }
        if metQueue, isHigher || misses > CapacityMode.mostMisses {
            (share, count, misses, highest) = (0, 0, 0, least)
        }
        let isAtHighest = bits > highest * (span - CapacityMode.step)
        if isAtHighest, !isHigher { candidate.count = 0 }
        // A run that met no queue left at its own rate. It shows something only where that is the highest rate.
        guard metQueue || isAtHighest && !isHigher else { return }
        highest *= 1 - CapacityMode.decay * min(max((now - last).seconds, 0), 1)
        if metQueue { highest = max(highest, least) }
        last = now
        count += 1
        misses = isAtHighest ? 0 : misses + 1
        let weight = count < 64 ? max(CapacityMode.weight, 1 / Double(count)) : CapacityMode.weight
        share += ((isAtHighest ? 1 : 0) - share) * weight
        let shares = CapacityMode.shares
        isInterleaved =
            count >= CapacityMode.fewest && misses < CapacityMode.recent
            && share > (isInterleaved ? shares.kept : shares.found) && share < shares.sole
    }

    /// Whether enough runs show a higher rate than before. A single one shows nothing: packets that a busy machine held
    /// up arrive closer together than any bottleneck lets them.
    private mutating func isConfirmed(_ rate: Double) -> Bool {
        let isSame = rate < CapacityMode.change * candidate.rate && CapacityMode.change * rate > candidate.rate
        candidate = isSame ? (max(rate, candidate.rate), candidate.count + 1) : (rate, 1)
        return candidate.count >= CapacityMode.confirmations
    }
}
