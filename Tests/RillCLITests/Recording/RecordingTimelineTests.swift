import RillCore
import Testing

@testable import RillCLI

/// What timestamps make of a recording's times. The right length is the time that really passed, or that of the
/// stream, where both agree.
@Suite struct RecordingTimelineTests {
    /// Frames by timestamp and arrival, in seconds.
    private func places(_ frames: [(time: Double, arrival: Double)]) -> (places: [Double], jumps: Int, notice: String?)
    {
        var timeline = RecordingTimeline()
        let places = frames.map { frame in
            timeline.add(.zero + .seconds(frame.time), arrivedAt: .zero + .seconds(frame.arrival)).seconds
        }
        return (places, timeline.jumps, timeline.takeNotice())
    }

    private func expectRising(_ places: [Double]) {
        for (before, after) in zip(places, places.dropFirst()) { #expect(after >= before + 0.001, "\(places)") }
    }

    @Test func `A stream keeps its own times, whatever the network does to its frames`() {
        var random = SeededGenerator(seed: 1)
        // Up to 0.9 s of jitter, a loss of 3 s, and a burst after 5 s.
        var arrival = 0.0
        let frames = (0..<900).filter { !(100..<190).contains($0) }.map { index -> (time: Double, arrival: Double) in
            let time = Double(index) / 30
            let delay = (300..<450).contains(index) ? max(0, 15 - time) : 0
            arrival = max(arrival, time + delay + Double(random.next() >> 33 & 1023) / 1138)
            return (1000 + time, arrival)
        }
        let (places, jumps, notice) = places(frames)
        for (place, frame) in zip(places, frames) { #expect(abs(place - (frame.time - 1000)) < 0.0001) }
        #expect(jumps == 0 && notice == nil)
    }

    /// Twenty frames in 0.7 s, of which each is an hour later: they made 2.5 GB.
    @Test(arguments: [3600.0, -3600, 47_721.8, -47_721.8, 61, 1.5, -0.5, 0, 0.00001])
    func `Timestamps that jump with each frame, or stand still, make a recording as long as it took`(jump: Double) {
        let frames = (0..<20).map { (time: 1_000_000 + Double($0) * jump, arrival: Double($0) * 0.035) }
        let (places, jumps, notice) = places(frames)
        expectRising(places)
        #expect(abs((places.last ?? 0) - 0.665) < 0.0001, "\(places)")
        #expect(jumps == 19 && notice != nil)
    }

    @Test(arguments: [7200.0, -7200, 30, -30])
    func `After one jump the stream keeps its times again`(jump: Double) {
        let frames = (0..<60).map { index -> (time: Double, arrival: Double) in
            let due = Double(index) / 5
            return (10_000 + due + (index < 30 ? 0 : jump), due + 0.01 * Double(index % 3))
        }
        let (places, jumps, notice) = places(frames)
        expectRising(places)
        #expect(jumps == 1 && abs((places.last ?? 0) - 11.8) < 0.03, "\(places)")
        #expect(notice?.contains(jump > 0 ? "ahead" : "behind") == true, "\(notice ?? "")")
    }

    @Test func `A pause is as long as it was, whether the sender's clock went on or not`() {
        for clock in [600.0, 0.033] {
            let frames = [(0.0, 0.0), (0.033, 0.033), (0.033 + clock, 600.033), (0.066 + clock, 600.066)]
            let (places, jumps, _) = places(frames.map { (time: $0.0, arrival: $0.1) })
            #expect(abs((places.last ?? 0) - 600.066) < 0.001 && jumps == (clock == 600 ? 0 : 1), "\(places)")
        }
    }

    /// Each step is within the tolerance: 0.9 s a frame, thirty frames a second, for a minute.
    @Test func `Small jumps do not add up`() {
        let frames = (0..<1800).map { (time: Double($0) * 0.9, arrival: Double($0) / 30) }
        let (places, _, _) = places(frames)
        expectRising(places)
        // Real time, the tolerance and a hundredth; or 40 ms for each frame, which repeats no picture.
        #expect((places.last ?? 0) <= 1800 * 0.04 + 2, "\(places.last ?? 0)")
    }

    /// `ffmpeg` without `-re`: a minute in a second.
    @Test func `A sender that is faster than real time keeps its times, where no gap needs to be filled`() {
        let (places, jumps, _) = places((0..<1800).map { (time: Double($0) / 30, arrival: Double($0) / 1800) })
        #expect(abs((places.last ?? 0) - 1799 / 30.0) < 0.001 && jumps == 0)
        let slow = self.places((0..<300).map { (time: Double($0) / 5, arrival: Double($0) / 300) })
        #expect((slow.places.last ?? 0) <= 300 * 0.04 + 2, "\(slow.places.last ?? 0)")
    }

    @Test func `A jump is reported once, and all are counted`() {
        var timeline = RecordingTimeline()
        for index in 0..<5 {
            _ = timeline.add(.zero + .seconds(3600 * index), arrivedAt: .zero + .milliseconds(33 * index))
        }
        #expect(
            timeline.takeNotice()
                == "the sender's timestamps are suddenly 3599.967s ahead: the recording goes on in real time")
        #expect(timeline.takeNotice() == nil)
        _ = timeline.add(.zero, arrivedAt: .zero + .seconds(1))
        #expect(timeline.takeNotice() == nil && timeline.jumps == 5)
        #expect(timeline.summary == "the sender's timestamps jumped 5 times")
    }
}
