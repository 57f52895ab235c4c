import RillCongestion
import RillLink
import RillTestSupport
import Testing

/// Outages and dips of a radio link that serves a slot of ten, so that packets arrive in bunches and trains measure
/// nothing.
@Suite struct StallTests {
    /// 40 s at 1.1 Mbit/s, and one slot of `every` instead of ten within some of them.
    private func trace(from start: Double, to end: Double, every: Int) -> CapacityTrace {
        CapacityTrace(
            rates: (0..<8000).map { slot in
                let time = Double(slot) * CapacityTrace.slot.seconds
                let isDip = time >= start && time < end
                // In an outage a packet passes every second, as in recorded ones.
                let rate = isDip && every == StallTests.outage ? 2.4e6 : 11e6
                return slot.isMultiple(of: isDip ? every : 10) ? rate : 0
            })
    }

    private static let outage = 200

    private func call(_ trace: CapacityTrace, seed: UInt64) throws -> TraceCall {
        let range = Bitrate.kilobits(30) ... .kilobits(2500)
        return try TraceCall(
            trace, queue: .bytes(150_000), seed: seed,
            controller: BandwidthEstimate(start: .kilobits(300), range: range))
    }

    private func rate(_ call: TraceCall, at time: Double) -> Int {
        call.rates.last { $0.time.seconds <= time }?.rate ?? 0
    }

    @Test(arguments: 1...5 as ClosedRange<UInt64>)
    func `Into an outage little is sent, and after it the rate returns within two seconds`(seed: UInt64) throws {
        let call = try call(trace(from: 20, to: 24.5, every: Self.outage), seed: seed)
        let sent = call.trips.filter { (21..<24.5).contains($0.sent.seconds) }
        let bits = 8 * sent.reduce(0) { $0 + $1.byteCount }
        // A frame at a time, which tries the path.
        #expect(bits < 350_000, "\(bits) bits in 3.5 s")
        #expect(call.trips.allSatisfy { $0.wait != nil }, "the queue dropped packets")
        let waits = call.trips.filter { $0.sent.seconds >= 25.5 }.compactMap { $0.wait?.milliseconds }
        #expect(waits.percentile(95) < 150, "\(waits.percentile(95)) ms")
        let (before, after) = (rate(call, at: 19.9), rate(call, at: 26.5))
        #expect(before > 800_000 && Double(after) > 0.75 * Double(before), "\(before), then \(after)")
    }

    @Test(arguments: 1...5 as ClosedRange<UInt64>)
    func `A dip to a quarter is followed, and the rate returns within two seconds`(seed: UInt64) throws {
        let call = try call(trace(from: 20, to: 22, every: 40), seed: seed)
        let (before, meanwhile, after) = (rate(call, at: 19.9), rate(call, at: 21.5), rate(call, at: 24))
        #expect(meanwhile < 500_000, "\(meanwhile)")
        #expect(before > 800_000 && Double(after) > 0.75 * Double(before), "\(before), then \(after)")
    }

    @Test(arguments: 1...5 as ClosedRange<UInt64>)
    func `A capacity that falls for good is followed, though the way back is tried`(seed: UInt64) throws {
        let call = try call(trace(from: 20, to: 40, every: 20), seed: seed)
        let rates = call.rates.filter { $0.time.seconds >= 25 }.map(\.rate)
        let mean = rates.reduce(0, +) / rates.count
        // 550 kbit/s are left.
        #expect((350_000...560_000).contains(mean), "\(mean)")
        #expect(call.trips.count { $0.wait == nil } == 0)
    }
}
