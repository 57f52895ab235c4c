import RillCore
import Testing

@testable import RillReceive

@Suite struct PlayoutTimingTests {
    @Test func `Of a fixed delay the smallest transit and the delay make the playout time`() {
        var timing = PlayoutTiming(.fixed(.milliseconds(100)))
        let times = [(0, 50.0), (90_000, 1020), (180_000, 2400)].map { timestamp, now in
            timing.noteFrame(
                timestamp: timestamp, byteCount: 1000, isKey: false, step: nil, frameInterval: .seconds(1),
                at: .milliseconds(now))
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
                timestamp: Int64(number * 3000), byteCount: 1000, isKey: false, step: nil,
                frameInterval: .milliseconds(33), at: now)
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

    /// Frames with a transit of 50 ms, of up to 600 ms behind a queue that grows for five seconds, and of 50 ms again
    /// after `omitted` frames that were left out. Returns how long after the one before the next frame is released.
    private func gapAfterQueue(
        leavingOut omitted: Int, frameRate: FrameRate = 30, isStepKnown: Bool = true
    ) -> MediaDuration {
        var timing = PlayoutTiming(.adaptive)
        let interval = frameRate.interval
        func release(of number: Int, step: Int, after transit: MediaDuration) -> MediaTime {
            let arrival = frameRate.time(ofFrame: number) + transit
            let timestamp = Int64(number) * 90_000 * Int64(frameRate.denominator) / Int64(frameRate.numerator)
            timing.notePacket(timestamp: timestamp, frameRate.time(ofFrame: number), at: arrival)
            let release = timing.noteFrame(
                timestamp: timestamp, byteCount: 1000, isKey: false, step: isStepKnown ? interval * step : nil,
                frameInterval: interval,
                at: arrival)
            return max(release, arrival)
        }
        for number in 0..<300 { _ = release(of: number, step: 1, after: .milliseconds(50)) }
        var last = MediaTime.zero
        let end = 300 + Int(5 * frameRate.framesPerSecond)
        for number in 300..<end {
            last = release(of: number, step: 1, after: .milliseconds(50 + 550 * (number - 300) / (end - 300)))
        }
        let next = end + omitted
        return release(of: next, step: omitted + 1, after: .milliseconds(50)) - last
    }

    @Test func `The delay shrinks where the sender left out frames, so that the picture does not stop again`() {
        let gaps = [4, 10, 15].map { gapAfterQueue(leavingOut: $0) }
        for gap in gaps { #expect((.milliseconds(30) ... .milliseconds(120)).contains(gap), "\(gaps)") }
        let unknown = gapAfterQueue(leavingOut: 15, isStepKnown: false)
        #expect(unknown > .milliseconds(300), "missing packets are no reason to hurry: \(unknown)")
    }

    @Test func `In a slow stream the delay stays`() {
        let gap = gapAfterQueue(leavingOut: 0, frameRate: 2)
        #expect(gap > .milliseconds(280), "\(gap)")
    }
}
