import RillTestSupport
import Testing

@testable import RillCongestion

@Suite struct DrainScheduleTests {
    /// The start times of drains in seconds, with updates every 50 ms.
    private func drains(until end: Double, usual: (Double) -> Double) -> [Double] {
        var (schedule, times) = (DrainSchedule(), [Double]())
        for step in 0..<Int(end * 20) {
            let time = Double(step) / 20
            let now = MediaTime.zero + .seconds(time)
            schedule.update(usual: usual(time), at: now)
            if schedule.isOn(at: now) { times.append(time) }
        }
        return times
    }

    @Test func `A usual delay that has risen for a second causes a drain of half a second`() {
        let times = drains(until: 15) { $0 < 10 ? 0.04 : 0.08 }
        #expect(times.first == 11 && times.count == 10, "\(times)")
    }

    @Test func `Small rises, short ones and falls cause no drain`() {
        #expect(drains(until: 60) { _ in 0.04 }.isEmpty)
        #expect(drains(until: 60) { 0.04 + 0.02 * $0 / 60 }.isEmpty)
        #expect(drains(until: 60) { (20..<20.9).contains($0) ? 0.2 : 0.04 }.isEmpty)
        #expect(drains(until: 60) { $0 < 30 ? 0.2 : 0.04 }.isEmpty)
    }

    @Test func `A path that became longer causes one drain`() {
        let times = drains(until: 60) { $0 < 10 ? 0.04 : 0.09 }
        #expect(times.count == 10, "\(times)")
    }

    @Test func `A second rise waits for its own second, and for eight since the previous drain`() {
        let times = drains(until: 40) { $0 < 10 ? 0.04 : $0 < 14 ? 0.09 : 0.14 }
        #expect(times.first == 11 && times.count == 20 && times[10] == 19, "\(times)")
    }
}
