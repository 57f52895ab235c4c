import RillTestSupport

@testable import RillCongestion

// The meters take the packets of a feedback at once; tests add single ones.

extension AcknowledgedRate {
    mutating func add(_ packet: PacketRecord, arrival: MediaTime) {
        let settled: InlineArray<1, SettledPacket> = [SettledPacket(packet, .received, arrival: arrival)]
        add(settled.span)
    }
}

extension CapacityMeter {
    @discardableResult
    mutating func add(_ packet: PacketRecord, arrival: MediaTime, followsMissing: Bool = false) -> Bool {
        var packet = packet
        packet.followsMissing = followsMissing
        return add(SettledPacket(packet, .received, arrival: arrival))
    }
}

extension QueueMeter {
    mutating func add(_ packet: PacketRecord, arrival: MediaTime, wait: Double, capacity: Double?, rate: Double) {
        var settled: InlineArray<1, SettledPacket> = [SettledPacket(packet, .received, arrival: arrival)]
        settled[0].wait = wait
        add(settled.span, capacity: capacity, rate: rate)
    }
}

extension LossEstimate {
    mutating func add(isLost: Bool) { add(1, lost: isLost ? 1 : 0) }
}
