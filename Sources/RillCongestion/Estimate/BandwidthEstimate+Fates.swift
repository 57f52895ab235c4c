import RillCore
public import RillRTP

/// How the fates of packets are noted: all those of a feedback at once.
extension BandwidthEstimate {
    /// Takes transport-wide feedback: notes the fates that it settles, and works out the rate anew.
    ///
    /// The same as ``SentPacketHistory/take(_:_:)-(TransportFeedback,_)`` with ``note(_:_:at:)`` for each packet, and then ``update(at:)``, at
    /// half of the cost.
    ///
    /// - Parameters:
    ///   - feedback: parsed feedback, from anybody.
    ///   - history: the packets that were sent.
    ///   - now: when the feedback arrived.
    public mutating func take(
        _ feedback: borrowing TransportFeedback, of history: inout SentPacketHistory, at now: MediaTime
    ) {
        history.settle(feedback)
        takeSettled(of: &history, at: now)
    }

    /// Takes feedback by stream: notes the fates that it settles, and works out the rate anew.
    ///
    /// - Parameters:
    ///   - feedback: parsed feedback, from anybody.
    ///   - history: the packets that were sent.
    ///   - now: when the feedback arrived.
    public mutating func take(
        _ feedback: borrowing CongestionControlFeedback, of history: inout SentPacketHistory, at now: MediaTime
    ) {
        history.settle(feedback)
        takeSettled(of: &history, at: now)
    }

    private mutating func takeSettled(of history: inout SentPacketHistory, at now: MediaTime) {
        let count = history.settledCount
        var packets = history.settled.mutableSpan
        note(&packets, count: count, at: now)
        update(at: now)
    }

    /// Notes the fates of the first `count` packets, in the order of sending.
    mutating func note(_ packets: inout MutableSpan<SettledPacket>, count: Int, at now: MediaTime) {
        var (first, lostCount, receivedCount) = (0, 0, 0)
        var (trainTime, newest) = (MediaTime(nanoseconds: .min), MediaTime(nanoseconds: .min))
        var (model, transit) = (reportedQueue, lastTransit)
        for index in 0..<count {
            let packet = packets[index]
            // What was lost behind the queue, and what nothing was heard of, has waited all the same.
            packets[index].wait = model.add(
                bits: Double(packet.byteCount) * 8, rate: limits.pathRate, at: packet.sendTime)
            switch packet.outcome {
            case .received:
                let before = transit
                transit = packet.arrival.nanoseconds &- packet.sendTime.nanoseconds
                if BandwidthEstimate.isJump(from: before, to: transit) {
                    noteArrivals(packets.span.extracting(first..<index), newest: newest, at: now)
                    forgetTimes()
                    model.empty()
                    (first, newest) = (index, packet.arrival)
                }
                newest = max(newest, packet.arrival)
                receivedCount &+= 1
                if capacity.add(packet) { trainTime = max(trainTime, packet.sendTime) }
            case .lost: lostCount &+= 1
            case .unknown: break
            }
        }
        (reportedQueue, lastTransit) = (model, transit)
        noteArrivals(packets.span.extracting(first..<count), newest: newest, at: now)
        loss.add(receivedCount &+ lostCount, lost: lostCount)
        if receivedCount > 0 { hasNews = true }
        if trainTime.nanoseconds > .min { noteTrain(trainTime, at: now) }
    }

    /// - Parameter newest: when the last of them arrived.
    private mutating func noteArrivals(_ packets: Span<SettledPacket>, newest: MediaTime, at now: MediaTime) {
        guard newest.nanoseconds > .min else { return }
        queue.add(packets, capacity: knownCapacity, rate: limits.pathRate)
        acknowledged.add(packets)
        // The shortest time from a packet's departure to the feedback, without what waited on the way there: jitter stays in it.
        guard queue.isBunching else { return roundTrip.add((now - newest).seconds + queue.emptyTransit) }
        for index in packets.indices where packets[index].outcome == .received {
            roundTrip.add((now - packets[index].sendTime).seconds - packets[index].wait)
        }
    }

    private mutating func noteTrain(_ time: MediaTime, at now: MediaTime) {
        probes.noteTrain(at: now)
        if let since = limits.checkingSince, time > since { limits.checkingSince = nil }
    }

    /// Whether a packet's transit differs much from the one before it.
    @inline(__always)
    private static func isJump(from transit: Int64, to next: Int64) -> Bool {
        guard transit != .min else { return false }
        let (step, isOverflow) = next.subtractingReportingOverflow(transit)
        return isOverflow || step.magnitude > BandwidthEstimate.clockJump.nanoseconds.magnitude
    }

    /// Forgets all times of a receiver whose clock jumps, or who lies.
    private mutating func forgetTimes() {
        capacity.reset()
        queue.reset()
        acknowledged.reset()
    }
}
