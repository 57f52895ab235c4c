import RillCore
import Testing

@testable import RillReceive

@Suite struct PlayoutTimingTests {
    @Test func `Of a fixed delay the smallest transit and the delay make the playout time`() {
        var timing = PlayoutTiming(.fixed(.milliseconds(100)))
        let times = [(0, 50.0), (90_000, 1020), (180_000, 2400)].map { timestamp, now in
            timing.noteFrame(
                timestamp: timestamp, byteCount: 1000, isKey: false, frameInterval: .seconds(1), at: .milliseconds(now))
        }
        #expect(times == [150, 1120, 2120].map { MediaTime.milliseconds($0) })
        let provisional = timing.provisionalPlayout(timestamp: 270_000)
        #expect(provisional == .milliseconds(3120))
    }

    @Test func `Before a frame is complete its first packet is used`() {
        var timing = PlayoutTiming(.fixed(.milliseconds(100)))
        timing.notePacket(timestamp: 90_000, .seconds(1), at: .milliseconds(1030))
        timing.notePacket(timestamp: 180_000, .seconds(2), at: .milliseconds(2010))
        var playout = timing.provisionalPlayout(timestamp: 90_000)
        #expect(playout == .milliseconds(1130))
        playout = timing.provisionalPlayout(timestamp: 180_000)
        #expect(playout == .milliseconds(2130))
        timing.restart()
        timing.notePacket(timestamp: 0, .zero, at: .seconds(1))
        playout = timing.provisionalPlayout(timestamp: 0)
        #expect(playout == .milliseconds(1100))
    }

    /// Frames every 33 ms with a transit of 50 ms, until a stall of four seconds holds up three of them. Returns how
    /// long after its timestamp each of the later frames is released, in milliseconds.
    private func delaysAfterStall(timestamps: [Int]) -> [Double] {
        var timing = PlayoutTiming(.adaptive)
        func delay(of number: Int, at now: MediaTime) -> Double {
            let release = timing.noteFrame(
                timestamp: Int64(number * 3000), byteCount: 1000, isKey: false, frameInterval: .milliseconds(33),
                at: now)
            return (release - FrameRate(30).time(ofFrame: number)).milliseconds
        }
        for number in 0..<300 { _ = delay(of: number, at: FrameRate(30).time(ofFrame: number) + .milliseconds(50)) }
        let end = FrameRate(30).time(ofFrame: 300) + .seconds(4)
        for number in 300..<303 { _ = delay(of: number, at: end + .milliseconds(number - 300)) }
        return timestamps.map { delay(of: $0, at: max(FrameRate(30).time(ofFrame: $0) + .milliseconds(50), end)) }
    }

    @Test func `Frames that a stall held up are shown one after the other, and not at once`() {
        let delays = delaysAfterStall(timestamps: [303, 304, 305])
        for delay in delays { #expect((3700...4000).contains(delay), "\(delays)") }
    }

    @Test func `Frames after those that a sender left out in a stall do not wait as long as the stall was`() {
        // Captured just before the link carries again, and after it.
        let delays = delaysAfterStall(timestamps: [419, 420, 421])
        for delay in delays { #expect(delay < 350, "\(delays)") }
    }
}
