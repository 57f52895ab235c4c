import RillCore
public import RillRTP

/// Recording the outcomes of packets: feedback enters the estimate here.
extension BandwidthEstimate {
    /// Processes transport-wide feedback: records the outcomes that it resolves, and updates the rate.
    ///
    /// It equals ``SentPacketHistory/take(_:_:)-(TransportFeedback,_)`` with ``record(_:_:at:)`` for each packet,
    /// followed by ``update(at:)``, at a lower cost.
    ///
    /// - Parameters:
    ///   - feedback: parsed feedback. Its content may be forged.
    ///   - history: the packets that were sent.
    ///   - now: the arrival time of the feedback.
    public mutating func take(
        _ feedback: borrowing TransportFeedback, of history: inout SentPacketHistory, at now: MediaTime
    ) {
        recordOutcomes(at: now) { path, round, packets in
            history.resolve(feedback) { path.record($0, $1, of: &round, after: &packets) }
        }
        update(at: now)
    }

    /// Processes feedback by stream (RFC 8888): records the outcomes that it resolves, and updates the rate.
    ///
    /// - Parameters:
    ///   - feedback: parsed feedback. Its content may be forged.
    ///   - history: the packets that were sent.
    ///   - now: the arrival time of the feedback.
    public mutating func take(
        _ feedback: borrowing CongestionControlFeedback, of history: inout SentPacketHistory, at now: MediaTime
    ) {
        recordOutcomes(at: now) { path, round, packets in
            history.resolve(feedback) { path.record($0, $1, of: &round, after: &packets) }
        }
        update(at: now)
    }

    /// Records the outcome of one packet.
    ///
    /// - Parameters:
    ///   - packet: the packet. Packets come in the order of sending.
    ///   - outcome: what feedback reports of it.
    ///   - now: the arrival time of the feedback.
    public mutating func record(_ packet: PacketRecord, _ outcome: PacketOutcome, at now: MediaTime) {
        recordOutcomes(at: now) { path, round, packets in path.record(packet, outcome, of: &round, after: &packets) }
    }

    /// Records all outcomes of one feedback, which `record` passes on. It is inlined, as it runs for each packet.
    @inline(__always)
    private mutating func recordOutcomes(
        at now: MediaTime,
        _ record: (inout PathMeter, inout PathMeter.Round, inout Ring<ReceivedPacket>.Contents) -> Void
    ) {
        let count = packets.end
        var round = PathMeter.Round(at: now, over: model)
        packets.update { record(&path, &round, &$0) }
        finish(round, receivedCount: packets.end - count)
    }

    private mutating func finish(_ round: PathMeter.Round, receivedCount: Int) {
        path.finish(round, receivedCount: receivedCount)
        limits.stall.recordReport(
            of: path.latest, lastSent: lastSent, roundTrip: limits.roundTrip, rate: limits.delivered, at: round.now)
        if receivedCount > 0 { hasNewOutcomes = true }
        guard round.trainTime > PathMeter.never else { return }
        probes.recordTrain(at: round.now)
        if limits.validatingSince != nil { path.capacity.closeIfLong() }
    }
}
