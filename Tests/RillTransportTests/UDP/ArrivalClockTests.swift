import RillCore
import RillTestSupport
import Testing

@testable import RillTransport

/// When datagrams arrived, by the monotonic clock.
@Suite struct ArrivalClockTests {
    private static let second: Int64 = 1_000_000_000
    private static let millisecond: Int64 = 1_000_000
    private static let epoch: Int64 = 1_700_000_000 * second

    /// The arrivals, in milliseconds, of a batch that was read at `time`, by a wall clock with that offset.
    private func batch(
        _ clock: inout ArrivalClock, at time: Int64, offset: Int64, stamps: [Int64]
    ) -> [Double] {
        clock.beginBatch(.init(monotonic: time * Self.millisecond, wall: time * Self.millisecond + offset))
        return stamps.map { Double(clock.time(ofStamp: $0).nanoseconds) / 1e6 }
    }

    private func stamp(_ time: Int64, _ offset: Int64) -> Int64 { time * Self.millisecond + offset }

    @Test func `A datagram is as old as its time is before the wall clock's`() {
        var clock = ArrivalClock()
        let stamps = [900, 910, 990, 1000].map { stamp($0, Self.epoch) }
        #expect(batch(&clock, at: 1000, offset: Self.epoch, stamps: stamps) == [900, 910, 990, 1000])
        // The wall clock is slewed by 500 ppm over ten minutes.
        let slewed = Self.epoch + 300 * Self.millisecond
        #expect(batch(&clock, at: 601_000, offset: slewed, stamps: [stamp(600_950, slewed)]) == [600_950])
        #expect(clock.adjustedCount == 0)
    }

    @Test(arguments: [3600 * second, -3600 * second, 200 * millisecond, -200 * millisecond])
    func `A wall clock that is set does no harm`(_ step: Int64) {
        var clock = ArrivalClock()
        _ = batch(&clock, at: 1000, offset: Self.epoch, stamps: [stamp(990, Self.epoch)])
        // It is set between the two datagrams of the batch.
        let after = Self.epoch + step
        let stamps = [stamp(1010, Self.epoch), stamp(1080, after)]
        #expect(batch(&clock, at: 1100, offset: after, stamps: stamps) == [1010, 1080])
        #expect(batch(&clock, at: 1200, offset: after, stamps: [stamp(1150, after)]) == [1150])
        // The same after a rest, when many times are plausible.
        let later = [stamp(9010, after), stamp(9080, Self.epoch)]
        #expect(batch(&clock, at: 9100, offset: Self.epoch, stamps: later) == [9010, 9080])
        #expect(clock.adjustedCount == 0)
    }

    @Test func `What is implausible is bounded and counted`() {
        var clock = ArrivalClock()
        let stamps = [stamp(2000, Self.epoch), stamp(500, Self.epoch), 0, .max]
        #expect(batch(&clock, at: 1000, offset: Self.epoch, stamps: stamps) == [1000, 1000, 1000, 1000])
        #expect(clock.adjustedCount == 4)
        // Order within the reading of a clock is no error.
        let close = [stamp(1990, Self.epoch), stamp(1990, Self.epoch) - 900_000, stamp(2000, Self.epoch) + 900_000]
        #expect(batch(&clock, at: 2000, offset: Self.epoch, stamps: close) == [1990, 1990, 2000])
        #expect(clock.adjustedCount == 4)
        // Not before the previous batch, nor ten seconds old.
        #expect(batch(&clock, at: 60_000, offset: Self.epoch, stamps: [stamp(1500, Self.epoch)]) == [50_000])
        #expect(clock.adjustedCount == 5)
    }

    @Test(arguments: [false, true])
    func `A thread that is held up learns when datagrams arrived`(isV6: Bool) throws {
        let receiver = try UDPSocket(boundTo: UDPAddress(isV6 ? .loopbackV6 : .loopback, port: 0))
        let sender = try UDPSocket(boundTo: UDPAddress(isV6 ? .loopbackV6 : .loopback, port: 0))
        // Once, so that the system's notes of time are on before the first one.
        var batch = IncomingDatagrams(capacity: 64)
        try sender.send([255].span, to: receiver.localAddress)
        #expect(try receiver.receive(into: &batch, within: .seconds(10)) == .received(1))
        // Nobody reads for 100 ms.
        var sent: [ClosedRange<Int64>] = []
        while sent.count < 20 {
            let start = monotonicNanoseconds()
            try sender.send([UInt8(sent.count)].span, to: receiver.localAddress)
            sent.append(start...monotonicNanoseconds())
            while monotonicNanoseconds() < start + 5_000_000 {}
        }
        var arrivals: [Int64] = []
        while arrivals.count < 20, case .received = try receiver.receive(into: &batch, within: .seconds(10)) {
            for index in batch.indices {
                #expect(batch.bytes(at: index)[0] == arrivals.count)
                let arrival = batch.arrivalTime(at: index)
                arrivals.append(try #require(arrival).nanoseconds)
            }
        }
        for (arrival, sent) in zip(arrivals, sent) {
            // The clocks are compared to less than that.
            #expect(arrival >= sent.lowerBound - 1_000_000 && arrival <= sent.upperBound + 1_000_000)
        }
        #expect(receiver.statistics.receiveCalls <= 4 && receiver.statistics.arrivalsAdjusted == 0)
    }
}
