import RillCore
public import RillRTP

/// How the outcomes of packets are noted.
extension BandwidthEstimate {
    /// Takes transport-wide feedback: notes the outcomes that it settles, and works out the rate anew.
    ///
    /// The same as ``SentPacketHistory/take(_:_:)-(TransportFeedback,_)`` with ``record(_:_:at:)`` for each packet, and then ``update(at:)``, at
    /// a lower cost.
    ///
    /// - Parameters:
    ///   - feedback: parsed feedback, from anybody.
    ///   - history: the packets that were sent.
    ///   - now: when the feedback arrived.
    public mutating func take(
        _ feedback: borrowing TransportFeedback, of history: inout SentPacketHistory, at now: MediaTime
    ) {
        recordOutcomes(at: now) { path, round, packets in
            history.resolve(feedback) { path.record($0, $1, of: &round, after: &packets) }
        }
        update(at: now)
    }

    /// Takes feedback by stream: notes the outcomes that it settles, and works out the rate anew.
    ///
    /// - Parameters:
    ///   - feedback: parsed feedback, from anybody.
    ///   - history: the packets that were sent.
    ///   - now: when the feedback arrived.
    public mutating func take(
        _ feedback: borrowing CongestionControlFeedback, of history: inout SentPacketHistory, at now: MediaTime
    ) {
        recordOutcomes(at: now) { path, round, packets in
            history.resolve(feedback) { path.record($0, $1, of: &round, after: &packets) }
        }
        update(at: now)
    }

    /// Notes the outcome of a packet.
    ///
    /// - Parameters:
    ///   - packet: the packet; in the order of sending.
    ///   - outcome: what feedback says of it.
    ///   - now: when the feedback arrived.
    public mutating func record(_ packet: PacketRecord, _ outcome: PacketOutcome, at now: MediaTime) {
        recordOutcomes(at: now) { path, round, packets in path.record(packet, outcome, of: &round, after: &packets) }
    }

    /// Notes what `note` passes on, all of it from one feedback. In the caller's own code, as it is called for each packet.
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
        if receivedCount > 0 { hasNewOutcomes = true }
        guard round.trainTime > PathMeter.never else { return }
        probes.recordTrain(at: round.now)
        if limits.validatingSince != nil { path.capacity.closeIfLong() }
    }
}
