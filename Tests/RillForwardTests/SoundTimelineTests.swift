import RillCore
import RillRTP
import Testing

@testable import RillForward

@Suite struct SoundTimelineTests {
    private func time(_ milliseconds: Double) -> MediaTime {
        MediaTime(nanoseconds: Int64((milliseconds * 1e6).rounded()))
    }

    @Test(arguments: [0, 1, 127, 0x7FFF_FFFF, 0x8000_0000, .max - 960, .max] as [UInt32])
    func `Times advance by what timestamps do, whenever packets arrive`(start: UInt32) {
        var timeline = SoundTimeline()
        // Lost, late, and in a burst after an outage of a second.
        let steps = [0, 1, 2, 4, 3, 6, 7, 60, 61, 62, 63]
        let arrivals = [0, 20, 47, 80, 85, 120, 140, 2190, 2190, 2191, 2191]
        for (step, arrival) in zip(steps, arrivals) {
            let timestamp = RTPTimestamp(start &+ UInt32(step) * 960)
            #expect(timeline.time(of: timestamp, arrival: time(Double(arrival))) == time(Double(20 * step)))
        }
    }

    @Test func `Another publisher goes on where the time is, whatever its timestamps`() {
        var timeline = SoundTimeline()
        _ = timeline.time(of: RTPTimestamp(0), arrival: time(0))
        #expect(timeline.time(of: RTPTimestamp(960), arrival: time(30)) == time(20))
        timeline.restart()
        #expect(timeline.time(of: RTPTimestamp(77), arrival: time(530)) == time(530))
        timeline.restart()
        // At once: later all the same.
        #expect(timeline.time(of: RTPTimestamp(0), arrival: time(530)) == time(532.5))
    }

    @Test func `A clock that jumps is followed from the arrival on, and never back`() {
        var timeline = SoundTimeline()
        _ = timeline.time(of: RTPTimestamp(0), arrival: time(0))
        let jumped = timeline.time(of: RTPTimestamp(48_000 * 3600), arrival: time(20))
        #expect(jumped == time(20))
        let back = timeline.time(of: RTPTimestamp(0), arrival: time(40))
        #expect(back == time(40))
        #expect(timeline.time(of: RTPTimestamp(960), arrival: time(60)) == time(60))
    }

    @Test func `A clock that is off by 200 millionths is followed for hours, and corrected then`() {
        var timeline = SoundTimeline()
        var (last, corrections) = (MediaTime(nanoseconds: -1), 0)
        // Six hours: 4.3 s.
        for index in 0..<1_080_000 {
            let arrival = time(20 * Double(index) * 1.0002)
            let now = timeline.time(of: RTPTimestamp(UInt32(truncatingIfNeeded: index * 960)), arrival: arrival)
            if index > 0, now - last != .milliseconds(20) { corrections += 1 }
            if now <= last { Issue.record("\(index): \(now) after \(last)") }
            last = now
        }
        #expect(corrections == 2)
    }
}
