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
        var (first, model) = (0, reportedQueue)
        for index in 0..<count {
            let packet = packets[index]
            // What was lost behind the queue, and what nothing was heard of, has waited all the same.
            packets[index].wait = model.add(
                bits: Double(packet.byteCount) * 8, rate: limits.pathRate, at: packet.sendTime)
            switch packet.outcome {
            case .received:
                if isClockJump(packet) {
                    noteArrivals(packets.span.extracting(first..<index), at: now)
                    forgetTimes()
                    model.empty()
                    first = index
                }
                noteTrain(packet, at: now)
                loss.add(isLost: false)
            case .lost:
                capacity.addLost(packet)
                loss.add(isLost: true)
            case .unknown: break
            }
        }
        reportedQueue = model
        noteArrivals(packets.span.extracting(first..<count), at: now)
    }

    @inline(__always)
    private mutating func noteArrivals(_ packets: Span<SettledPacket>, at now: MediaTime) {
        roundTrip.add(queue.add(packets, capacity: knownCapacity, rate: limits.pathRate, at: now))
        acknowledged.add(packets)
    }

    @inline(__always)
    private mutating func noteTrain(_ packet: SettledPacket, at now: MediaTime) {
        hasNews = true
        guard capacity.add(packet) else { return }
        probes.noteTrain(at: now)
        if let since = limits.checkingSince, packet.sendTime > since { limits.checkingSince = nil }
    }

    /// Whether a packet's transit differs much from the one before it.
    @inline(__always)
    private mutating func isClockJump(_ packet: SettledPacket) -> Bool {
        let transit = packet.arrival.nanoseconds &- packet.sendTime.nanoseconds
        let (step, isOverflow) = transit.subtractingReportingOverflow(lastTransit ?? transit)
        lastTransit = transit
        return isOverflow || step.magnitude > BandwidthEstimate.clockJump.nanoseconds.magnitude
    }

    /// Forgets all times of a receiver whose clock jumps, or who lies.
    private mutating func forgetTimes() {
        capacity.reset()
        queue.reset()
        acknowledged.reset()
    }
}
