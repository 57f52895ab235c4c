import RillTestSupport
import Testing

@testable import RillCongestion

@Suite struct LinkModelTests {
    @Test func `Each packet waits for those before it, and time drains the queue`() {
        var model = LinkModel()
        let first = model.add(bits: 10_000, rate: 1e6, at: .zero)
        let second = model.add(bits: 10_000, rate: 1e6, at: .zero + .milliseconds(4))
        #expect(first == 0)
        #expect(abs(second - 0.006) < 1e-9)
        #expect(abs(model.queue(at: .zero + .milliseconds(10)) - 0.01) < 1e-9)
        #expect(model.queue(at: .zero + .seconds(1)) == 0)
    }
}

@Suite struct QueueMeterTests {
    /// Feeds packets of 1000 bytes, 100 a second, whose transit is `transit` at each time.
    private func feed(
        _ use: inout QueueMeterInUse, _ seconds: ClosedRange<Double>, capacity: Double? = 2e6,
        transit: (Double) -> Double
    ) {
        for index in Int(seconds.lowerBound * 100)...Int(seconds.upperBound * 100) {
            let time = MediaTime.zero + .milliseconds(10 * index)
            let packet = PacketRecord(
                number: Int64(index), sendTime: time, byteCount: 1000, kind: .media, train: Int32(index / 4))
            use.add(
                packet, arrival: time + .seconds(transit(time.seconds)), wait: 0, capacity: capacity,
                rate: capacity ?? 1e6)
            if index % 5 == 0 { use.update(capacity: capacity, rate: 1e6, at: time + .milliseconds(100)) }
        }
    }

    @Test func `A queue above the empty path is seen as long as it is`() {
        var use = QueueMeterInUse()
        feed(&use, 0...3) { _ in 0.05 }
        #expect(use.meter.foreign == 0 && use.meter.surge < 0.001 && !use.meter.isBunching)
        feed(&use, 3.01...4) { _ in 0.09 }
        #expect(abs(use.meter.foreign - 0.038) < 0.001 && abs(use.meter.surge - 0.04) < 0.001)
    }

    @Test func `What our own packets wait is no queue`() {
        var use = QueueMeterInUse()
        for index in 0..<300 {
            let time = MediaTime.zero + .milliseconds(10 * index)
            let packet = PacketRecord(
                number: Int64(index), sendTime: time, byteCount: 1000, kind: .media, train: Int32(index))
            let wait = index > 100 ? 0.03 : 0
            use.add(packet, arrival: time + .seconds(0.05 + wait), wait: wait, capacity: 2e6, rate: 2e6)
            use.update(capacity: 2e6, rate: 2e6, at: time)
        }
        #expect(use.meter.foreign < 0.001)
    }

    @Test func `Packets that overtake each other are jitter, not a queue`() {
        var use = QueueMeterInUse()
        var generator = SeededGenerator(seed: 4)
        feed(&use, 0...20, capacity: nil) { _ in 0.05 + .random(in: 0...0.08, using: &generator) }
        #expect(use.meter.isBunching && use.meter.standing == 0)
        feed(&use, 20.01...21, capacity: nil) { _ in 0.15 + .random(in: 0...0.08, using: &generator) }
        #expect(use.meter.standing > 0.03)
    }

    @Test func `A longer path can be taken as empty`() {
        var use = QueueMeterInUse()
        feed(&use, 0...3) { _ in 0.05 }
        feed(&use, 3.01...6) { _ in 0.12 }
        #expect(use.meter.foreign > 0.06)
        use.meter.rebase(at: .zero + .seconds(6))
        feed(&use, 6.01...7) { _ in 0.12 }
        #expect(use.meter.foreign < 0.001)
    }
}
