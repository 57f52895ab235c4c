import RillTestSupport
import Testing

@testable import RillCongestion

@Suite struct PathStallTests {
    private let roundTrip = 0.1
    private let rate = 1e6

    /// Packets every 33 ms from zero until `end`, in seconds; every 50 ms a report of what was sent `age(now)` before.
    private func stall(until end: Double, age: (Double) -> Double) -> (PathStall, onAt: [Double]) {
        var (stall, onAt, lastSent) = (PathStall(), [Double](), MediaTime.zero)
        for step in 1...Int((end * 100).rounded()) {
            let time = Double(step) / 100
            let now = MediaTime.zero + .seconds(time)
            if step.isMultiple(of: 3) {
                lastSent = now
                stall.recordSent(at: now)
            }
            if step.isMultiple(of: 5), time > age(time) {
                let latest = MediaTime.zero + .seconds(time - age(time))
                stall.recordReport(of: latest, lastSent: lastSent, roundTrip: roundTrip, rate: rate, at: now)
            }
            if stall.isOn(roundTrip: roundTrip, rate: rate, at: now) { onAt.append(time) }
        }
        return (stall, onAt)
    }

    @Test func `Reports that come as usual are no stall, nor is a queue that others fill`() {
        #expect(stall(until: 10) { _ in 0.12 }.onAt.isEmpty)
        // The queue grows by 300 ms within a second, and stays.
        let queued = stall(until: 10) { 0.12 + 0.3 * min(max($0 - 3, 0), 1) }
        #expect(queued.onAt.isEmpty, "\(queued.onAt)")
    }

    @Test func `Half a second without a report is a stall, and ends with the first one that is not as old`() throws {
        // Nothing passes from 2.88 to 5 s: what was sent before 2.88 s is reported until 3 s.
        let times = stall(until: 8) { $0 < 3 ? 0.12 : $0 < 5 ? .infinity : 0.12 }.onAt
        let (first, last) = (try #require(times.first), try #require(times.last))
        #expect((3.2...3.5).contains(first) && (4.95...5.05).contains(last), "\(first) to \(last) s")
        #expect(times.count == Int(((last - first) * 100).rounded()) + 1)
    }

    @Test func `What trickles through does not end a stall`() throws {
        // From 3 to 7 s the age grows by 0.9 s a second, as behind a link with a tenth of the rate.
        let times = stall(until: 10) { $0 < 3 ? 0.12 : $0 < 7 ? 0.12 + 0.9 * ($0 - 3) : 0.12 }.onAt
        let (first, last) = (try #require(times.first), try #require(times.last))
        #expect((3.3...3.7).contains(first) && (6.95...7.05).contains(last), "\(first) to \(last) s")
    }

    @Test func `A path that is longer from now on is a stall for three seconds`() throws {
        let times = stall(until: 12) { $0 < 3 ? 0.12 : 1.5 }.onAt
        let last = try #require(times.last)
        #expect((5...7.7).contains(last), "\(last) s")
    }

    @Test func `Without a packet in flight there is no stall`() {
        var stall = PathStall()
        let now = MediaTime.zero + .seconds(1)
        stall.recordSent(at: now)
        stall.recordReport(of: now, lastSent: now, roundTrip: roundTrip, rate: rate, at: now + .milliseconds(100))
        #expect(!stall.isOn(roundTrip: roundTrip, rate: rate, at: now + .seconds(60)))
        stall.recordSent(at: now + .seconds(60))
        #expect(!stall.isOn(roundTrip: roundTrip, rate: rate, at: now + .seconds(60)))
        #expect(stall.isOn(roundTrip: roundTrip, rate: rate, at: now + .seconds(61)))
    }

    @Test func `A low rate, whose feedback is rare, stalls later`() {
        var stall = PathStall()
        let start = MediaTime.zero + .seconds(1)
        stall.recordSent(at: start)
        #expect(!stall.isOn(roundTrip: roundTrip, rate: 1e6, at: start + .seconds(60)), "before the first report")
        stall.recordReport(of: start, lastSent: start, roundTrip: roundTrip, rate: rate, at: start)
        stall.recordSent(at: start)
        let later = start + .milliseconds(600)
        #expect(stall.isOn(roundTrip: roundTrip, rate: 1e6, at: later))
        #expect(!stall.isOn(roundTrip: roundTrip, rate: 40_000, at: later))
    }
}
