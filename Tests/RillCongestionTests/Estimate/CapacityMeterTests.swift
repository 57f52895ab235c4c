import RillTestSupport
import Testing

@testable import RillCongestion

@Suite struct CapacityMeterTests {
    /// Trains of `count` packets of 1250 bytes, paced at `paced` and carried at `carried` bits per second, with a
    /// jitter of `jitter`.
    private func reading(
        trains: Int = 60, count: Int = 5, paced: Double, carried: Double, jitter: MediaDuration = .zero,
        losing: Int? = nil
    ) -> CapacityMeter.Reading {
        var meter = CapacityMeter()
        var generator = SeededGenerator(seed: 5)
        let gap = 10_000 / paced
        let spacing = max(10_000 / carried, gap)
        for train in 0..<trains {
            let start = FrameRate(30).time(ofFrame: train)
            for index in 0..<count {
                let packet = PacketRecord(
                    number: Int64(train * count + index), sendTime: start + .seconds(gap * Double(index)),
                    byteCount: 1250,
                    kind: .media, train: Int32(train))
                let scatter = Int64.random(in: 0...max(0, jitter.nanoseconds), using: &generator)
                let transit = MediaDuration.milliseconds(50) + MediaDuration(nanoseconds: scatter)
                guard index != losing else { continue }
                meter.add(
                    packet, arrival: start + .seconds(spacing * Double(index)) + transit,
                    followsMissing: index - 1 == losing)
            }
        }
        return meter.reading
    }

    private func capacity(_ reading: CapacityMeter.Reading) -> Double? {
        if case .capacity(let capacity) = reading { capacity } else { nil }
    }

    @Test func `Dispersed trains measure the capacity`() throws {
        let found = try #require(capacity(reading(paced: 3e6, carried: 2e6)))
        #expect(abs(found - 2e6) < 1000)
    }

    @Test func `Trains without dispersion give a lower bound`() {
        guard case .atLeast(let bound) = reading(paced: 1e6, carried: 2e6) else {
            Issue.record("\(reading(paced: 1e6, carried: 2e6))")
            return
        }
        #expect(abs(bound - 1e6) < 1000)
    }

    @Test func `A packet that was lost behind the bottleneck does not make the path seem slower`() throws {
        let found = try #require(capacity(reading(paced: 3e6, carried: 2e6, losing: 2)))
        #expect(abs(found - 2e6) < 1000)
    }

    @Test func `Jitter of arrivals cancels over many trains`() throws {
        let found = try #require(capacity(reading(trains: 200, paced: 4e6, carried: 2e6, jitter: .milliseconds(10))))
        #expect(abs(found - 2e6) < 2e5, "\(found)")
    }

    @Test func `Jitter that hides the dispersion gives no reading`() {
        #expect(reading(count: 2, paced: 30e6, carried: 20e6, jitter: .milliseconds(60)) == .unknown)
    }

    @Test func `The capacity is unknown before the first train`() {
        #expect(CapacityMeter().reading == .unknown && reading(trains: 1, paced: 3e6, carried: 2e6) == .unknown)
    }

    @Test func `Two short dispersed trains give no reading`() {
        #expect(reading(trains: 3, count: 3, paced: 3e6, carried: 2e6) == .unknown)
        #expect(capacity(reading(trains: 4, count: 3, paced: 3e6, carried: 2e6)) != nil)
    }

    @Test func `After a cut the capacity is the acknowledged rate`() {
        var meter = CapacityMeter()
        meter.reset(to: 5e5)
        #expect(meter.reading == .capacity(5e5))
    }

    /// Adds a train of packets of 1250 bytes that left at 5 Mbit/s, carried at `carried` bits per second.
    private func add(_ train: Int, packets: Int, at start: MediaTime, carried: Double, to meter: inout CapacityMeter) {
        for index in 0..<packets {
            let packet = PacketRecord(
                number: Int64(train * 100 + index), sendTime: start + .milliseconds(2 * index), byteCount: 1250,
                kind: .media, train: Int32(train))
            meter.add(
                packet, arrival: start + .milliseconds(50) + .seconds(10_000 / carried * Double(index)),
                followsMissing: false)
        }
    }

    @Test func `Trains from before an idle period expire, and a long train counts before it ends`() throws {
        var meter = CapacityMeter()
        for train in 0..<10 {
            add(train, packets: 5, at: .zero + .milliseconds(33 * train), carried: 2.5e6, to: &meter)
        }
        meter.closeIfLong()
        #expect(try abs(#require(capacity(meter.reading)) - 2.5e6) < 1000)
        // Two short trains may have been delayed by anything: the capacity stays unknown.
        add(10, packets: 3, at: .zero + .seconds(19), carried: 5e5, to: &meter)
        let back = MediaTime.zero + .seconds(20)
        add(11, packets: 8, at: back, carried: 5e5, to: &meter)
        #expect(meter.newest < back && meter.reading == .unknown)
        meter.closeIfLong()
        #expect(meter.newest == back)
        #expect(try abs(#require(capacity(meter.reading)) - 5e5) < 1000)
    }

    @Test func `Thousands of trains keep the sums exact`() throws {
        let found = try #require(capacity(reading(trains: 50_000, paced: 3e6, carried: 2e6)))
        #expect(abs(found - 2e6) < 1000)
    }
}
