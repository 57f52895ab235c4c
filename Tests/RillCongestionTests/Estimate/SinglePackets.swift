import RillTestSupport

@testable import RillCongestion

/// A meter for single packets, with the packets that it stores.
struct QueueMeterInUse {
    var meter = QueueMeter()
    private(set) var packets = Ring(capacity: 512, filler: ReceivedPacket())

    /// - Parameters:
    ///   - wait: in nanoseconds.
    ///   - capacity: in bits per second; `nil` for an unknown one, of at least 1 Mbit/s.
    mutating func add(_ packet: PacketRecord, arrival: MediaTime, wait: Int64 = 0, capacity: Double?) {
        let excess = meter.excess(of: packet, arrival: arrival, wait: wait, over: path(capacity))
        packets.append(ReceivedPacket(sendTime: packet.sendTime, arrival: arrival, sums: meter.sums))
        meter.sums.add(excess)
    }

    mutating func update(capacity: Double?, at now: MediaTime) {
        meter.update(&packets, over: path(capacity), rate: 1e6, at: now)
    }

    private func path(_ capacity: Double?) -> PathCapacity {
        PathCapacity(
            capacity ?? 1e6, isKnown: capacity != nil, shortest: meter.shortest, isBunching: meter.isBunching)
    }
}

extension LossEstimate {
    mutating func add(isLost: Bool) { add(1, lost: isLost ? 1 : 0) }
}

extension CapacityMeter {
    @discardableResult
    mutating func add(_ packet: PacketRecord, arrival: MediaTime, followsMissing: Bool) -> Bool {
        var packet = packet
        packet.followsMissing = followsMissing
        return add(packet, arrival: arrival)
    }
}
