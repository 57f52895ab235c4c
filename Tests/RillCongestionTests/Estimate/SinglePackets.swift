import RillTestSupport

@testable import RillCongestion

/// A meter that is fed with single packets, and the packets that it remembers.
struct QueueMeterInUse {
    var meter = QueueMeter()
    private(set) var packets = Ring(capacity: 512, filler: ReceivedPacket())

    mutating func add(_ packet: PacketRecord, arrival: MediaTime, wait: Double, capacity: Double?, rate: Double) {
        packets.update { packets in
            meter.add(
                packet, arrival: arrival, wait: wait, over: PathCapacity(known: capacity, least: rate), to: &packets)
        }
    }

    mutating func update(capacity: Double?, rate: Double, at now: MediaTime) {
        meter.update(packets, capacity: capacity, rate: rate, at: now)
    }
}

extension LossEstimate {
    mutating func add(isLost: Bool) { add(1, lost: isLost ? 1 : 0) }
}
