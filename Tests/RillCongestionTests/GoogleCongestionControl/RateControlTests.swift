import RillTestSupport
import Testing

@testable import RillCongestion

@Suite struct RateControlTests {
    private typealias Control = GoogleCongestionControl

    private func time(_ seconds: Double) -> MediaTime { .zero + .seconds(seconds) }

    @Test func `Overuse cuts to 0.85 of the acknowledged rate, less 5 kbit per second`() {
        var control = Control.RateControl(start: 1_200_000, lowest: 50_000)
        control.update(.overuse, acknowledged: 1_000_000, at: time(0))
        #expect(control.rate == 845_000)
        // A cut never raises the rate.
        control.update(.overuse, acknowledged: 2_000_000, at: time(1))
        #expect(control.rate <= 845_000)
    }

    @Test
    func
        `Far from the capacity the rate rises by 8 % a second, within 1.5 times the acknowledged rate`()
    {
        var control = Control.RateControl(start: 300_000, lowest: 50_000)
        for step in 0...20 { control.update(.normal, acknowledged: 300_000, at: time(Double(step) * 0.05)) }
        // A step is at least 1 kbit/s, the first one too.
        #expect(abs(control.rate - 301_000 * 1.08) < 1, "\(control.rate)")
        for step in 21...400 { control.update(.normal, acknowledged: 300_000, at: time(Double(step) * 0.05)) }
        #expect(control.rate == 460_000)
    }

    @Test func `Near the capacity the rate rises by half a packet per response time`() {
        var control = Control.RateControl(start: 1_200_000, lowest: 50_000)
        control.roundTrip = .milliseconds(100)
        control.update(.overuse, acknowledged: 1_000_000, at: time(0))
        // A frame of 28 167 bits is three packets of 9389 bits; in 400 ms one of them.
        #expect(abs(control.additiveIncrease - 23_472) < 1)
        control.update(.normal, acknowledged: 900_000, at: time(0.1))
        control.update(.normal, acknowledged: 900_000, at: time(1.1))
        #expect(abs(control.rate - 868_472) < 1, "\(control.rate)")
        let slow = Control.RateControl(start: 30_000, lowest: 5000)
        #expect(slow.additiveIncrease == 4000)
    }

    @Test func `An acknowledged rate far above the capacity resets it`() {
        var control = Control.RateControl(start: 600_000, lowest: 50_000)
        control.update(.overuse, acknowledged: 500_000, at: time(0))
        let cut = control.rate
        // Above 500 000 by more than three deviations of 14 kbit/s: 8 % a second again.
        control.update(.normal, acknowledged: 545_000, at: time(1))
        control.update(.normal, acknowledged: 545_000, at: time(2))
        #expect(abs(control.rate - (cut + 1000) * 1.08) < 1, "\(control.rate)")
    }

    @Test func `Underuse holds the rate until the queue is empty`() {
        var control = Control.RateControl(start: 500_000, lowest: 50_000)
        for step in 0...10 { control.update(.underuse, acknowledged: 500_000, at: time(Double(step))) }
        #expect(control.rate == 500_000)
    }

    @Test func `A further cut waits for a round trip, unless hardly anything arrives`() {
        var control = Control.RateControl(start: 1_000_000, lowest: 50_000)
        control.roundTrip = .milliseconds(120)
        control.update(.overuse, acknowledged: 1_000_000, at: time(1))
        #expect(!control.mayDecrease(acknowledged: 800_000, at: time(1.11)))
        #expect(control.mayDecrease(acknowledged: 800_000, at: time(1.12)))
        #expect(control.mayDecrease(acknowledged: 400_000, at: time(1.01)))
    }

    @Test func `The capacity of the link is known to three deviations`() {
        var capacity = Control.LinkCapacity()
        #expect(capacity.range.contains(1e12))
        capacity.record(500_000)
        #expect(abs(capacity.range.upperBound - 542_426) < 1 && abs(capacity.range.lowerBound - 457_574) < 1)
        capacity.record(480_000)
        #expect(capacity.estimate == 499_000)
    }

    @Test func `The acknowledged rate follows the rate of arrivals`() throws {
        var rate = Control.AcknowledgedRate()
        for index in 0..<49 { rate.add(1250, arrival: .zero + .milliseconds(10 * index)) }
        #expect(rate.bitsPerSecond == nil)
        for index in 49..<200 { rate.add(1250, arrival: .zero + .milliseconds(10 * index)) }
        #expect(abs(try #require(rate.bitsPerSecond) - 1e6) < 70_000)
        for index in 200..<500 { rate.add(500, arrival: .zero + .milliseconds(10 * index)) }
        #expect(abs(try #require(rate.bitsPerSecond) - 4e5) < 70_000, "\(rate.bitsPerSecond ?? 0)")
    }

    @Test(arguments: [(0, 541_000), (5, 500_000), (20, 405_000)])
    func `Loss lets the rate rise below 2 %, holds it up to 10 %, and cuts it above`(percent: Int, rate: Double) {
        var limit = Control.LossLimit(start: 500_000)
        // Without loss the first two seconds follow the delay; then come 8 % and 1 kbit/s in a second. With 20 %, two
        // reports take 10 % each.
        for step in 0..<60 {
            for packet in 0..<20 { limit.record(isLost: packet * 5 < percent) }
            limit.update(limit: step < 40 ? 500_000 : 2e6, roundTrip: .milliseconds(100), at: time(Double(step) * 0.05))
        }
        #expect(abs(limit.rate - rate) < 1, "\(limit.rate)")
    }
}
