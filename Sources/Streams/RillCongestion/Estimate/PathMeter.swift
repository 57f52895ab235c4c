import RillCore

/// All measurements of a path, from the outcomes of packets.
///
/// It takes outcomes one by one, in the order of sending, and updates all measurements at once. That costs one pass
/// over the packets of a feedback.
struct PathMeter: Sendable {
    /// One feedback while its outcomes are recorded: the assumed capacity, and the sums over its packets.
    struct Round: Sendable {
        let now: MediaTime
        var path: PathCapacity
        var lostCount = 0
        /// The arrival time of the newest packet in this feedback.
        var newest = PathMeter.never
        /// The send time of the last packet that continued a train.
        var trainTime = PathMeter.never

        init(at now: MediaTime, over path: PathCapacity) { (self.now, self.path) = (now, path) }

        mutating func resetAfterClockJump() {
            newest = PathMeter.never
            path.forgetPast()
        }
    }

    /// Earlier than all times.
    static let never = MediaTime(nanoseconds: .min)
    /// A larger change of the one-way delay, in nanoseconds, means that the receiver's clock jumped. No queue holds a
    /// minute.
    private static let clockJump: Int64 = 60_000_000_000

    var capacity = CapacityMeter()
    var queue = QueueMeter()
    var acknowledged = AcknowledgedRate()
    var loss = LossEstimate()
    var roundTrip = RoundTrip()
    /// The one-way delay gradient, beside delay-based flows only.
    var gradient: DelayGradient?
    /// The virtual queue at the time of the reported packets.
    private var link = LinkModel()
    /// The send time of the newest packet with a known outcome.
    private(set) var latest = PathMeter.never
    /// The one-way delay of the last packet, by two clocks of unknown offset, in nanoseconds; the smallest integer
    /// before the first.
    private var lastTransit = Int64.min

    /// Records the outcome of a packet.
    ///
    /// - Parameters:
    ///   - packet: the packet. Packets come in the order of sending.
    ///   - outcome: what feedback reports of it.
    ///   - round: the feedback.
    ///   - packets: the packets that arrived before.
    @inline(__always)
    mutating func record(
        _ packet: PacketRecord, _ outcome: PacketOutcome, of round: inout Round,
        after packets: inout Ring<ReceivedPacket>.Contents
    ) {
        // Lost packets and those with an unknown outcome occupied the queue, too.
        latest = max(latest, packet.sendTime)
        let wait = link.add(round.path.usual.of(Int(packet.byteCount)), at: latest)
        switch outcome {
        case .received(let arrival):
            let transit = arrival.nanoseconds &- packet.sendTime.nanoseconds
            // One comparison for both directions of a jump.
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
            if gradient != nil { gradient?.add(packet.sendTime, arrival: arrival) }
            queue.sums.add(excess)
            if queue.isBunching { roundTrip.add((round.now - packet.sendTime).seconds - Double(wait) / 1e9) }
        case .lost: round.lostCount &+= 1
        case .unknown: break
        }
    }

    /// Updates the round trip and the loss fraction, after the packets of a feedback.
    mutating func finish(_ round: Round, receivedCount: Int) {
        recordRoundTrip(round)
        loss.add(receivedCount &+ round.lostCount, lost: round.lostCount)
    }

    /// Adds the round trip of this feedback: from a packet's departure to the feedback, without the queueing delay.
    /// Jitter of the reverse path stays in it.
    ///
    /// On a path that bunches packets, each packet contributes one instead.
    private mutating func recordRoundTrip(_ round: Round) {
        guard round.newest > PathMeter.never, !queue.isBunching else { return }
        roundTrip.add((round.now - round.newest).seconds + queue.baseDelay.seconds)
    }

    /// Resets all delay measurements after a jump of the receiver's clock, or forged times.
    ///
    /// - Returns: `false` before the first packet, which has no predecessor.
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
