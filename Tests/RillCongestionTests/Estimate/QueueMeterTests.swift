import RillTestSupport
import Testing

@testable import RillCongestion

@Suite struct LinkModelTests {
    @Test func `Each packet waits for those before it, and time drains the queue`() {
        var model = LinkModel()
        let transmission = TransmissionTime(at: 1e6).of(1250)
        #expect(transmission == 10_000_000)
        let first = model.add(transmission, at: .zero)
        let second = model.add(transmission, at: .zero + .milliseconds(4))
        #expect(first == 0 && second == 6_000_000)
        #expect(model.queue(at: .zero + .milliseconds(10)) == 10_000_000)
        #expect(model.queue(at: .zero + .seconds(1)) == 0)
    }

    @Test func `The virtual queue is limited to two seconds`() {
        var model = LinkModel()
        for _ in 0..<100 { model.add(TransmissionTime(at: 1e5).of(1250), at: .zero) }
        #expect(model.queue(at: .zero) == 2_000_000_000)
    }

    @Test(arguments: [1, 50_000, 2_345_678, 1e7, 1e10]) func `A packet takes its bits over the rate`(rate: Double) {
        let exact = 1228 * 8e9 / rate
        #expect(abs(Double(TransmissionTime(at: rate).of(1228)) - exact) <= 1)
    }
}

@Suite struct QueueMeterTests {
    /// Feeds packets of 1000 bytes, 100 a second, whose one-way delay is `transit` at each time.
    private func feed(
        _ use: inout QueueMeterInUse, _ seconds: ClosedRange<Double>, capacity: Double? = 2e6,
        transit: (Double) -> Double
    ) {
        for index in Int(seconds.lowerBound * 100)...Int(seconds.upperBound * 100) {
            let time = MediaTime.zero + .milliseconds(10 * index)
            let packet = PacketRecord(
                number: Int64(index), sendTime: time, byteCount: 1000, kind: .media, train: Int32(index / 4))
            use.add(packet, arrival: time + .seconds(transit(time.seconds)), capacity: capacity)
            if index % 5 == 0 { use.update(capacity: capacity, at: time + .milliseconds(100)) }
        }
    }

    @Test func `A queue above the base delay is measured with its length`() {
        var use = QueueMeterInUse()
        feed(&use, 0...3) { _ in 0.05 }
        #expect(use.meter.crossTraffic == 0 && use.meter.shortTerm < 0.001 && !use.meter.isBunching)
        feed(&use, 3.01...4) { _ in 0.09 }
        #expect(abs(use.meter.crossTraffic - 0.038) < 0.001 && abs(use.meter.shortTerm - 0.04) < 0.001)
    }

    @Test func `The expected queue is an extrapolation`() {
        var use = QueueMeterInUse()
        feed(&use, 0...3) { _ in 0.05 }
        feed(&use, 3.01...4) { 0.05 + 0.1 * ($0 - 3) }
        #expect(use.meter.crossTraffic < 0.09 && use.meter.expected > use.meter.crossTraffic + 0.008)
        feed(&use, 4.01...4.2) { max(0.05, 0.15 - 0.4 * ($0 - 4)) }
        #expect(use.meter.crossTraffic > 0.02 && use.meter.expected < use.meter.crossTraffic - 0.02)
    }

    @Test func `The wait of our own packets is not cross traffic`() {
        var use = QueueMeterInUse()
        for index in 0..<300 {
            let time = MediaTime.zero + .milliseconds(10 * index)
            let packet = PacketRecord(
                number: Int64(index), sendTime: time, byteCount: 1000, kind: .media, train: Int32(index))
            let wait = MediaDuration.milliseconds(index > 100 ? 30 : 0)
            use.add(packet, arrival: time + .milliseconds(50) + wait, wait: wait.nanoseconds, capacity: 2e6)
            use.update(capacity: 2e6, at: time)
        }
        #expect(use.meter.crossTraffic < 0.001)
    }

    @Test func `Reordering is jitter, not a queue`() {
        var use = QueueMeterInUse()
        var generator = SeededGenerator(seed: 4)
        feed(&use, 0...20, capacity: nil) { _ in 0.05 + .random(in: 0...0.08, using: &generator) }
        #expect(use.meter.isBunching && use.meter.standing == 0)
        feed(&use, 20.01...21, capacity: nil) { _ in 0.15 + .random(in: 0...0.08, using: &generator) }
        #expect(use.meter.standing > 0.03)
    }

    /// Under jitter the minimum delay depends on chance. It expires while nothing happens, or while a queue grows.
    @Test func `An expired minimum of the delay hides no queue`() {
        var use = QueueMeterInUse()
        var generator = SeededGenerator(seed: 7)
        feed(&use, 0...20, capacity: nil) {
            $0 < 0.5 ? 0 : 0.05 + .random(in: 0...0.08, using: &generator)
        }
        let usual = use.meter.usual
        feed(&use, 20.01...24, capacity: nil) {
            0.05 + max(0, 0.03 * ($0 - 21)) + .random(in: 0...0.08, using: &generator)
        }
        #expect(use.meter.baseDelay > .milliseconds(50))
        #expect(
            abs(use.meter.usual - usual) < 0.02 && use.meter.standing > 0.03,
            "\(use.meter.usual) of \(usual), \(use.meter.standing)")
    }

    /// Two clocks may drift apart by a second in three hours.
    @Test func `A queue is detected while the clocks drift apart`() {
        var use = QueueMeterInUse()
        var generator = SeededGenerator(seed: 8)
        feed(&use, 0...200, capacity: nil) { 0.05 + $0 * 0.06 + .random(in: 0...0.08, using: &generator) }
        #expect(use.meter.scatter < 0.03)
        feed(&use, 200.01...201, capacity: nil) { 0.15 + $0 * 0.06 + .random(in: 0...0.08, using: &generator) }
        #expect(use.meter.standing > 0.03)
    }

    /// The first packets of a call may have less jitter than later ones.
    @Test func `The first usual delay does not make a queue of later ones`() {
        var use = QueueMeterInUse()
        var generator = SeededGenerator(seed: 5)
        feed(&use, 0...2, capacity: nil) { _ in 0.05 + .random(in: 0...0.03, using: &generator) }
        #expect(use.meter.isBunching)
        feed(&use, 2.01...10, capacity: nil) { _ in 0.05 + .random(in: 0...0.12, using: &generator) }
        #expect(use.meter.isBunching && use.meter.standing == 0, "\(use.meter.standing)")
    }

    @Test func `A path that reorders is distinguished from one that only bunches`() {
        var (reordering, holding) = (QueueMeterInUse(), QueueMeterInUse())
        var generator = SeededGenerator(seed: 6)
        feed(&reordering, 0...10, capacity: nil) { _ in 0.05 + .random(in: 0...0.08, using: &generator) }
        // Every tenth of a second, all held packets arrive at once.
        feed(&holding, 0...10, capacity: nil) { 0.05 + 0.1 - $0.truncatingRemainder(dividingBy: 0.1) }
        #expect(reordering.meter.isBunching && reordering.meter.isReordering)
        #expect(holding.meter.isBunching && !holding.meter.isReordering)
    }

    @Test func `The base delay can be rebased to a longer path`() {
        var use = QueueMeterInUse()
        feed(&use, 0...3) { _ in 0.05 }
        feed(&use, 3.01...6) { _ in 0.12 }
        #expect(use.meter.crossTraffic > 0.06)
        use.meter.rebase(at: .zero + .seconds(6))
        feed(&use, 6.01...7) { _ in 0.12 }
        #expect(use.meter.crossTraffic < 0.001)
    }
}
