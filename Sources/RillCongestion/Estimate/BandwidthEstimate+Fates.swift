import RillCore
public import RillRTP

/// How the fates of packets are noted.
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
        var round = beginRound(at: now)
        packets.update { packets in
            history.settle(feedback) { path.note($0, $1, of: &round, after: &packets) }
        }
        finish(round)
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
        var round = beginRound(at: now)
        packets.update { packets in
            history.settle(feedback) { path.note($0, $1, of: &round, after: &packets) }
        }
        finish(round)
        update(at: now)
    }

    /// Notes the fate of a packet.
    ///
    /// - Parameters:
    ///   - packet: the packet; in the order of sending.
    ///   - fate: what feedback says of it.
    ///   - now: when the feedback arrived.
    public mutating func note(_ packet: PacketRecord, _ fate: PacketFate, at now: MediaTime) {
        var round = beginRound(at: now)
        packets.update { path.note(packet, fate, of: &round, after: &$0) }
        finish(round)
    }

    private func beginRound(at now: MediaTime) -> PathMeter.Round {
        PathMeter.Round(at: now, over: PathCapacity(known: knownCapacity, least: limits.pathRate))
    }

    private mutating func finish(_ round: PathMeter.Round) {
        path.finish(round)
        if round.receivedCount > 0 { hasNews = true }
        guard round.trainTime > PathMeter.never else { return }
        probes.noteTrain(at: round.now)
        if let since = limits.checkingSince, round.trainTime > since { limits.checkingSince = nil }
    }
}
