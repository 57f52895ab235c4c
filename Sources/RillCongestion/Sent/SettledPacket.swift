import RillCore

/// A packet whose fate feedback told, as an estimate needs it: feedback is taken whole, so that its packets are gone through in few loops.
struct SettledPacket: BitwiseCopyable, Sendable {
    enum Outcome: UInt8, Sendable {
        case received, lost, unknown
    }

    var sendTime: MediaTime
    /// When it arrived, if it did.
    var arrival: MediaTime
    /// What it should have waited behind our own packets, in seconds, once an estimate knows it.
    var wait = 0.0
    var byteCount: Int32
    var train: Int32
    /// Its place in the history's ring.
    var place: Int32 = 0
    var outcome: Outcome
    /// ``PacketRecord/followsMissing``
    var followsMissing: Bool

    @inline(__always)
    init(_ packet: PacketRecord, _ outcome: Outcome, arrival: MediaTime = .zero, place: Int = 0) {
        (sendTime, self.arrival, byteCount) = (packet.sendTime, arrival, packet.byteCount)
        (train, self.place, self.outcome) = (packet.train, Int32(truncatingIfNeeded: place), outcome)
        followsMissing = packet.followsMissing
    }

    init(_ packet: PacketRecord, _ fate: PacketFate) {
        switch fate {
        case .received(let arrival): self.init(packet, .received, arrival: arrival)
        case .lost: self.init(packet, Outcome.lost)
        case .unknown: self.init(packet, Outcome.unknown)
        }
    }

    var fate: PacketFate {
        switch outcome {
        case .received: .received(arrival: arrival)
        case .lost: .lost
        case .unknown: .unknown
        }
    }
}
