import RillCore

/// What the outcomes of packets tell of a path.
///
/// It takes them one by one, in the order of sending: all that a packet needs is done at once.
struct PathMeter: Sendable {
    /// A feedback while its packets are noted: what is known before them, and what is summed up.
    struct Round: Sendable {
        let now: MediaTime
        var path: PathCapacity
        var lostCount = 0
        /// When the last of them arrived.
        var newest = PathMeter.never
        /// When the last packet of a train of several was sent.
        var trainTime = PathMeter.never

        init(at now: MediaTime, over path: PathCapacity) { (self.now, self.path) = (now, path) }

        mutating func resetAfterClockJump() {
            newest = PathMeter.never
            path.forgetPast()
        }
    }

    /// Before all times.
    static let never = MediaTime(nanoseconds: .min)
    /// The receiver's clock did not run if a transit differs by more than that from the one before it.
    private static let clockJump: Int64 = 60_000_000_000

    var capacity = CapacityMeter()
    var queue = QueueMeter()
    var acknowledged = AcknowledgedRate()
    var loss = LossEstimate()
    var roundTrip = RoundTrip()
    /// The queue as our own packets fill it, when they are reported.
    private var link = LinkModel()
    /// When the last packet left whose outcome is known.
    private var latest = PathMeter.never
    /// From the last packet's departure to its arrival, by two clocks, in nanoseconds; the smallest number before the first.
    private var lastTransit = Int64.min

    /// Notes the outcome of a packet.
    ///
    /// - Parameters:
    ///   - packet: the packet; in the order of sending.
    ///   - outcome: what feedback says of it.
    ///   - round: the feedback.
    ///   - packets: those that arrived before.
    @inline(__always)
    mutating func record(
        _ packet: PacketRecord, _ outcome: PacketOutcome, of round: inout Round,
        after packets: inout Ring<ReceivedPacket>.Contents
    ) {
        // What was lost behind the queue, and what nothing was heard of, has waited all the same.
        latest = max(latest, packet.sendTime)
        let wait = link.add(round.path.usual.of(Int(packet.byteCount)), at: latest)
        switch outcome {
        case .received(let arrival):
            let transit = arrival.nanoseconds &- packet.sendTime.nanoseconds
            // As far as that to either side.
            if UInt64(bitPattern: transit &- lastTransit &+ PathMeter.clockJump) > UInt64(2 * PathMeter.clockJump),
                resetAfterClockJump(to: transit, round, before: packets.end)
            {
                round.resetAfterClockJump()
                packets.removeAll()
            }
            lastTransit = transit
            round.newest = max(round.newest, arrival)
            if capacity.add(packet, arrival: arrival) { round.trainTime = packet.sendTime }
            let excess = queue.excess(of: packet, arrival: arrival, wait: wait, over: round.path)
            packets.append(
                ReceivedPacket(
                    sendTime: packet.sendTime, arrival: arrival, byteCount: acknowledged.byteCount, sums: queue.sums))
            acknowledged.add(packet)
            queue.sums.add(excess)
            if queue.isBunching { roundTrip.add((round.now - packet.sendTime).seconds - Double(wait) / 1e9) }
        case .lost: round.lostCount &+= 1
        case .unknown: break
        }
    }

    /// Sums up, after the packets of a feedback.
    mutating func finish(_ round: Round, receivedCount: Int) {
        recordRoundTrip(round)
        loss.add(receivedCount &+ round.lostCount, lost: round.lostCount)
    }

    /// The shortest time from a packet's departure to the feedback, without what waited on the way there: jitter stays in it. Where packets
    /// bunch, each gives one.
    private mutating func recordRoundTrip(_ round: Round) {
        guard round.newest > PathMeter.never, !queue.isBunching else { return }
        roundTrip.add((round.now - round.newest).seconds + queue.emptyTransit.seconds)
    }

    /// Forgets all times of a receiver whose clock jumps, or who lies. Returns `false` before the first packet, which nothing is compared with.
    @inline(never)
    private mutating func resetAfterClockJump(to transit: Int64, _ round: Round, before number: Int) -> Bool {
        defer { queue.begin(at: transit) }
        guard lastTransit != .min else { return false }
        recordRoundTrip(round)
        capacity.reset()
        acknowledged.reset(from: number)
        link.empty()
        return true
    }
}
