import RillCore
import RillRTP
import RillTestSupport
import Testing

@testable import RillForward

@Suite struct ViewerTimelineTests {
    private func frame(capture: Int, arrival: Int, wall: Int? = nil) -> PublishedFrame {
        PublishedFrame(
            frame: EncodedFrame(
                codec: .vp8, layer: StreamLayer(rid: .high), number: 0, references: FrameReferences(), isKey: false,
                resolution: .vga, captureTime: .zero + .milliseconds(capture), byteCount: 1),
            wallClock: wall.map { .unixEpoch.advanced(byNanoseconds: Int64($0) * 1_000_000) },
            arrival: .zero + .milliseconds(arrival))
    }

    @Test func `within a layer, times keep the distances of the capture`() {
        var timeline = ViewerTimeline()
        let times = [(0, 1000), (33, 1040), (66, 1066), (133, 1180)].map {
            timeline.time(of: frame(capture: $0.0, arrival: $0.1), isChange: false)
        }
        #expect(times.map { ($0 - times[0]).nanoseconds / 1_000_000 } == [0, 33, 66, 133])
    }

    @Test func `a change of the layer goes by the wall clock, if that is plausible`() {
        var timeline = ViewerTimeline()
        let first = timeline.time(of: frame(capture: 0, arrival: 1000, wall: 500), isChange: false)
        // Captured 50 ms later, arrived 90 ms later.
        let second = timeline.time(of: frame(capture: 777_000, arrival: 1090, wall: 550), isChange: true)
        #expect(second - first == .milliseconds(50))
        let third = timeline.time(of: frame(capture: 777_200, arrival: 1290, wall: 750), isChange: false)
        #expect(third - second == .milliseconds(200))
        // A wall clock that has jumped by an hour is not followed.
        let fourth = timeline.time(of: frame(capture: 5, arrival: 1390, wall: 3_600_750), isChange: true)
        #expect(fourth - third == .milliseconds(100))
    }

    @Test func `time rises, whatever a publisher's clock does`() {
        var timeline = ViewerTimeline()
        var random = SeededGenerator(seed: 5)
        var (last, arrival) = (MediaTime(nanoseconds: .min), 1000)
        for index in 0..<10_000 {
            arrival += Int.random(in: 0...50, using: &random)
            let capture = Int.random(in: -1_000_000_000...1_000_000_000, using: &random)
            let wall = Bool.random(using: &random) ? Int.random(in: 0...10_000_000, using: &random) : nil
            let published = frame(capture: capture, arrival: arrival, wall: wall)
            let time =
                index % 7 == 0
                ? timeline.time(of: published, behind: frame(capture: capture + 900, arrival: arrival + 5), age: 3)
                : timeline.time(of: published, isChange: index % 5 == 0)
            #expect(time > last)
            // It stays near the time of arrival.
            let lead = time - (MediaTime.zero + .milliseconds(arrival))
            #expect(lead > .zero - .milliseconds(510) && lead < .milliseconds(90), "frame \(index): \(lead)")
            last = time
        }
    }

    @Test func `kept frames follow each other closely, and the newest has its own time`() {
        var timeline = ViewerTimeline()
        let kept = (0..<10).map { frame(capture: 33 * $0, arrival: 1000 + 33 * $0) }
        let times = kept.indices.map { timeline.time(of: kept[$0], behind: kept[9], age: 9 - $0) }
        #expect(times[9] == kept[9].arrival)
        #expect(zip(times, times.dropFirst()).allSatisfy { $1 - $0 == ViewerTimeline.shortestStep })
        let next = timeline.time(of: frame(capture: 330, arrival: 1330), isChange: false)
        #expect(next - times[9] == .milliseconds(33))
    }

    // MARK: Discontinuities

    /// By how much times are ahead of the arrivals, in milliseconds: frames of 30 a second, with jitter of the network,
    /// whose capture times are what `clock` makes of the time in milliseconds.
    private func leads(
        _ timeline: inout ViewerTimeline, from start: Int = 0, count: Int = 300, step: Int = 33,
        clock: (_ index: Int, _ time: Int) -> Int
    ) -> [Double] {
        var random = SeededGenerator(seed: 9)
        return (0..<count).map { index in
            let time = start + step * index
            let arrival = 1000 + time + Int.random(in: 0...20, using: &random)
            let result = timeline.time(of: frame(capture: clock(index, time), arrival: arrival), isChange: false)
            return (result - (MediaTime.zero + .milliseconds(arrival))).seconds * 1000
        }
    }

    @Test(arguments: [-60_000, -5000, -1900, -400, -40, 400, 1900, 5000, 59_000, 100_000])
    func `a jump of a publisher's clock does not move the times of its viewers`(jump: Int) {
        var timeline = ViewerTimeline()
        let leads = leads(&timeline) { index, time in time + (index >= 100 ? jump : 0) }
        // The network's jitter, and no more.
        #expect(leads.allSatisfy { abs($0) <= 40 }, "\(leads.min() ?? 0) to \(leads.max() ?? 0) ms")
    }

    @Test(arguments: [-5000, -1000, -100, 50, 300, 1000, 5000])
    func `jumps of a publisher's clock do not add up`(jump: Int) {
        for each in [1, 2, 7] {
            var timeline = ViewerTimeline()
            let leads = leads(&timeline) { index, time in time + index / each * jump }
            #expect(leads.allSatisfy { $0 <= 66.1 && $0 >= -500.1 }, "\(leads.min() ?? 0) to \(leads.max() ?? 0) ms")
        }
    }

    @Test func `a change of the publisher leaves nothing of the former one's clock`() {
        for jump in [-5000, 5000] {
            for isKept in [false, true] {
                var timeline = ViewerTimeline()
                let leads = leads(&timeline) { index, time in time / 2 + index / 50 * jump }
                #expect(leads.contains { abs($0) > 30 })
                timeline.restart()
                let arrival = 1000 + 33 * 300
                let first = frame(capture: 7, arrival: arrival)
                let time =
                    isKept ? timeline.time(of: first, behind: first, age: 0) : timeline.time(of: first, isChange: true)
                #expect(time == first.arrival)
                let next = timeline.time(of: frame(capture: 40, arrival: arrival + 33), isChange: false)
                #expect(next - time == .milliseconds(33))
            }
        }
    }

    @Test func `wall clocks of layers cannot move the times away from the arrivals`() {
        var timeline = ViewerTimeline()
        for index in 0..<100 {
            // Each change claims 1.9 s more than passed.
            let published = frame(capture: index, arrival: 1000 + 100 * index, wall: 2000 * index)
            let lead = timeline.time(of: published, isChange: true) - published.arrival
            #expect(lead <= ViewerTimeline.longestLead, "\(lead)")
        }
    }

    @Test func `more frames than a decoder takes do not delay what is seen`() {
        var timeline = ViewerTimeline()
        var most = MediaDuration.zero
        // 5,000 frames a second.
        for index in 0..<20_000 {
            let published = frame(capture: index, arrival: 1000 + index / 5)
            let lead = timeline.time(of: published, isChange: false) - published.arrival
            most = max(most, lead)
        }
        #expect(most <= .milliseconds(70), "\(most)")
    }

    @Test(arguments: [0.9995, 1.0005])
    func `a clock that is a bit too fast or too slow is followed, and corrected now and then`(rate: Double) {
        var timeline = ViewerTimeline()
        var (steps, corrections) = (0, 0)
        var (least, most) = (MediaDuration.zero, MediaDuration.zero)
        var former: MediaTime?
        // An hour of 30 frames a second.
        for index in 0..<108_000 {
            let capture = MediaTime(nanoseconds: Int64(Double(index) * 1e9 / 30 * rate))
            var published = frame(capture: 0, arrival: 0)
            published.frame.captureTime = capture
            published.arrival = MediaTime(nanoseconds: Int64(Double(index) * 1e9 / 30) + Int64(index % 7) * 1_000_000)
            let time = timeline.time(of: published, isChange: false)
            (least, most) = (min(least, time - published.arrival), max(most, time - published.arrival))
            if let former {
                steps += 1
                if abs((time - former).seconds * 30 / rate - 1) > 0.01 { corrections += 1 }
            }
            former = time
        }
        #expect(corrections < steps / 50, "\(corrections) of \(steps)")
        #expect(most <= ViewerTimeline.longestLead && least > .zero - .milliseconds(510), "\(least) to \(most)")
    }

    @Test func `frames that an outage held back keep the order, and the times go on behind it`() {
        var timeline = ViewerTimeline()
        var leads = leads(&timeline, count: 100) { $1 }
        // Those of a second arrive at its end.
        for index in 100..<130 {
            let published = frame(capture: 33 * index, arrival: 1000 + 33 * 130 + index - 100)
            leads.append((timeline.time(of: published, isChange: false) - published.arrival).seconds * 1000)
        }
        leads += self.leads(&timeline, from: 33 * 131) { $1 }
        #expect(leads.allSatisfy { $0 <= 66.1 && $0 >= -500.1 })
        #expect(leads.suffix(300).allSatisfy { $0 > 20 && $0 <= 66.1 }, "\(leads.suffix(300))")
    }
}
