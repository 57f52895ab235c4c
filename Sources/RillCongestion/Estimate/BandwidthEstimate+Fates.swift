import RillCore
public import RillRTP

/// How the fates of packets are noted.
extension BandwidthEstimate {
    /// Takes transport-wide feedback: notes the fates that it settles, and works out the rate anew.
    ///
    /// The same as ``SentPacketHistory/take(_:_:)-(TransportFeedback,_)`` with ``note(_:_:at:)`` for each packet, and then ``update(at:)``, at
    /// a lower cost.
    ///
    /// - Parameters:
    ///   - feedback: parsed feedback, from anybody.
    ///   - history: the packets that were sent.
    ///   - now: when the feedback arrived.
    public mutating func take(
        _ feedback: borrowing TransportFeedback, of history: inout SentPacketHistory, at now: MediaTime
    ) {
        let count = packets.end
        var round = PathMeter.Round(at: now, over: taken)
        packets.update { packets in
            history.settle(feedback) { path.note($0, $1, of: &round, after: &packets) }
        }
        finish(round, receivedCount: packets.end - count)
        update(at: now)
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
        let count = packets.end
        var round = PathMeter.Round(at: now, over: taken)
        packets.update { packets in
            history.settle(feedback) { path.note($0, $1, of: &round, after: &packets) }
        }
        finish(round, receivedCount: packets.end - count)
        update(at: now)
    }

    /// Notes the fate of a packet.
    ///
    /// - Parameters:
    ///   - packet: the packet; in the order of sending.
    ///   - fate: what feedback says of it.
    ///   - now: when the feedback arrived.
    public mutating func note(_ packet: PacketRecord, _ fate: PacketFate, at now: MediaTime) {
        let count = packets.end
        var round = PathMeter.Round(at: now, over: taken)
        packets.update { path.note(packet, fate, of: &round, after: &$0) }
        finish(round, receivedCount: packets.end - count)
    }

    private mutating func finish(_ round: PathMeter.Round, receivedCount: Int) {
        path.finish(round, receivedCount: receivedCount)
        if receivedCount > 0 { hasNews = true }
        guard round.trainTime > PathMeter.never else { return }
        probes.noteTrain(at: round.now)
        if let since = limits.checkingSince, round.trainTime > since { limits.checkingSince = nil }
    }
}
