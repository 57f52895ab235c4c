import RillCore

/// A packet that arrived, as the meters of a path remember it.
struct ReceivedPacket: BitwiseCopyable, Sendable {
    var sendTime = MediaTime.zero
    var arrival = MediaTime.zero
    /// By how much longer it travelled than it should, in seconds.
    var excess = 0.0
    var byteCount: Int32 = 0
}

/// What a path is taken to carry while feedback is noted, in bits per second.
struct PathCapacity: Sendable {
    /// `nil` where it is unknown.
    var known: Double?
    /// What it carries at least.
    var least: Double
}

/// What the fates of packets tell of a path.
///
/// It takes them one by one, in the order of sending: all that a packet needs is done at once.
struct PathMeter: Sendable {
    /// A feedback while its packets are noted: what is known before them, and what is summed up.
    struct Round: Sendable {
        let now: MediaTime
        let path: PathCapacity
        var receivedCount = 0
        /// The bytes that arrived since the clock jumped last.
        var receivedByteCount = 0
        var lostCount = 0
        /// When the last of them arrived.
        var newest = PathMeter.never
        /// When the last packet of a train of several was sent.
        var trainTime = PathMeter.never

        init(at now: MediaTime, over path: PathCapacity) { (self.now, self.path) = (now, path) }
    }

    /// Before all times.
    static let never = MediaTime(nanoseconds: .min)
    /// The receiver's clock did not run if a transit differs by more than that from the one before it.
    private static let clockJump: UInt64 = 60_000_000_000

    var capacity = CapacityMeter()
    var queue = QueueMeter()
    var acknowledged = AcknowledgedRate()
    var loss = LossEstimate()
    var roundTrip = RoundTrip()
    /// The queue as our own packets fill it, when they are reported.
    private var link = LinkModel()
    /// From the last packet's departure to its arrival, by two clocks, in nanoseconds; the smallest number before the first.
    private var lastTransit = Int64.min

    /// Notes the fate of a packet.
    ///
    /// - Parameters:
    ///   - packet: the packet; in the order of sending.
    ///   - fate: what feedback says of it.
    ///   - round: the feedback.
    ///   - packets: those that arrived before.
    @inline(__always)
    mutating func note(
        _ packet: PacketRecord, _ fate: PacketFate, of round: inout Round,
        after packets: inout Ring<ReceivedPacket>.Contents
    ) {
        // What was lost behind the queue, and what nothing was heard of, has waited all the same.
        let wait = link.add(bits: Double(packet.byteCount) * 8, rate: round.path.least, at: packet.sendTime)
        switch fate {
        case .received(let arrival):
            let transit = arrival.nanoseconds &- packet.sendTime.nanoseconds
            if (transit &- lastTransit).magnitude > PathMeter.clockJump { noteJump(&round, &packets) }
            lastTransit = transit
            round.newest = max(round.newest, arrival)
            round.receivedCount &+= 1
            round.receivedByteCount &+= Int(packet.byteCount)
            if capacity.add(packet, arrival: arrival) { round.trainTime = packet.sendTime }
            queue.add(packet, arrival: arrival, wait: wait, over: round.path, to: &packets)
            if queue.isBunching { roundTrip.add((round.now - packet.sendTime).seconds - wait) }
        case .lost:
            capacity.addLost(packet)
            round.lostCount &+= 1
        case .unknown: break
        }
    }

    /// Sums up, after the packets of a feedback.
    mutating func finish(_ round: Round) {
        noteRoundTrip(round)
        acknowledged.add(round.receivedByteCount, packets: round.receivedCount)
        loss.add(round.receivedCount &+ round.lostCount, lost: round.lostCount)
    }

    /// The shortest time from a packet's departure to the feedback, without what waited on the way there: jitter stays in it. Where packets
    /// bunch, each gives one.
    private mutating func noteRoundTrip(_ round: Round) {
        guard round.newest > PathMeter.never, !queue.isBunching else { return }
        roundTrip.add((round.now - round.newest).seconds + queue.emptyTransit)
    }

    /// Forgets all times of a receiver whose clock jumps, or who lies.
    @inline(never)
    private mutating func noteJump(_ round: inout Round, _ packets: inout Ring<ReceivedPacket>.Contents) {
        // Before the first packet there is nothing to compare with.
        guard lastTransit != .min else { return }
        noteRoundTrip(round)
        (round.newest, round.receivedByteCount) = (PathMeter.never, 0)
        capacity.reset()
        queue.reset()
        acknowledged.reset()
        link.empty()
        packets.removeAll()
    }
}
