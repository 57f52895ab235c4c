import RillCore
import Testing

@testable import RillCodec

struct RateControlTimelineTests {
    @Test(arguments: [
        FrameRate(30), FrameRate(30_000, per: 1001), FrameRate(24_000, per: 1001), FrameRate(60_000, per: 1001),
    ])
    func `Frames of an even rate keep their own timestamps`(rate: FrameRate) {
        var timeline = timeline(rate)
        let duration = (MediaTime.zero + rate.interval).ticks(rate: 90_000)
        for index in 0..<1000 {
            let start = rate.time(ofFrame: index).ticks(rate: 90_000)
            let span = timeline.span(at: rate.time(ofFrame: index))
            #expect(span == RateControlTimeline.Span(start: start, duration: duration), "frame \(index) at \(rate)")
        }
        #expect(timeline.balance == 0)
    }

    @Test(arguments: [10, 25, 27, 30, 33])
    func `A rate that is near the announced one is followed`(rate: Int) {
        let spans = spans(of: (0..<100).map(FrameRate(rate).time(ofFrame:)))
        let expected = Double(90_000) / Double(rate)
        #expect(spans.suffix(50).allSatisfy { abs(Double($0.duration) - expected) <= 1 }, "\(rate)")
    }

    @Test func `One frame starts where the previous one ended`() {
        var random = SeededGenerator(seed: 1)
        var times: [MediaTime] = [.zero]
        for _ in 0..<2000 {
            times.append(times[times.count - 1] + .microseconds(Int.random(in: -20_000...120_000, using: &random)))
        }
        let spans = spans(of: times)
        for (before, span) in zip(spans, spans.dropFirst()) { #expect(abs(span.start - before.end) <= 1) }
        #expect(spans.allSatisfy { $0.duration >= 1 })
    }

    @Test func `Jitter leaves all frames the same time`() {
        var random = SeededGenerator(seed: 2)
        let times = (0..<900).map {
            FrameRate(30).time(ofFrame: $0) + .microseconds(Int.random(in: -8000...8000, using: &random))
        }
        let durations = spans(of: times).dropFirst(10).map(\.duration)
        // Those within 15 % may follow the timestamps as long as nothing is owed.
        #expect(durations.filter { $0 == 3000 }.count > durations.count * 9 / 10)
        #expect(abs(durations.reduce(0, +) - Int64(durations.count) * 3000) < 3000)
    }

    @Test(arguments: [1, 2, 4])
    func `A gap is paid back by half a frame at a time`(missing: Int) throws {
        let times = (0..<200).filter { !(60..<60 + missing).contains($0) }.map(FrameRate(30).time(ofFrame:))
        expect(spans(of: times), behindTheGap: 4500, then: 4500, count: (missing - 1) * 2)
    }

    /// More than that, and a network with little room above the target loses packets: its queue takes a fraction of a
    /// second.
    @Test(arguments: [5, 8, 15, 29])
    func `A long gap is paid back by a sixth of a frame at a time`(missing: Int) throws {
        let times = (0..<300).filter { !(60..<60 + missing).contains($0) }.map(FrameRate(30).time(ofFrame:))
        // At most half a second, besides the half interval of the first frame.
        expect(spans(of: times), behindTheGap: 4500, then: 3500, count: (min(missing, 16) - 1) * 6)
    }

    /// The first gap is the longer one.
    @Test func `A short gap is compensated before the rest of a long one`() {
        let times = (0..<300).filter { !(60..<75).contains($0) && !(80..<83).contains($0) }.map(
            FrameRate(30).time(ofFrame:))
        let durations = spans(of: times).dropFirst(60).map(\.duration)
        let expected: [Int64] = [4500, 3500, 3500, 3500, 3500, 4500, 4500, 4500, 4500, 4500]
        #expect(Array(durations.prefix(10)) == expected)
        #expect(durations.dropFirst(10).prefix(70).allSatisfy { $0 == 3500 }, "\(durations)")
    }

    /// `count` frames of `duration` after the first one, and then what they always had.
    private func expect(
        _ spans: [RateControlTimeline.Span], behindTheGap first: Int64, then duration: Int64, count: Int
    ) {
        let durations = spans.dropFirst(60).map(\.duration)
        #expect(Array(durations.prefix(count + 1)) == [first] + Array(repeating: duration, count: count))
        #expect(durations.dropFirst(count + 1).allSatisfy { $0 == 3000 }, "\(durations)")
    }

    @Test func `After a long gap half of the buffer is compensated`() throws {
        var timeline = timeline(30)
        for index in 0..<60 { _ = timeline.span(at: FrameRate(30).time(ofFrame: index)) }
        let before = timeline.end
        for index in 60..<360 { _ = timeline.span(at: FrameRate(30).time(ofFrame: index) + .seconds(100)) }
        let given = timeline.end - before - 300 * 3000
        #expect((45_000 - 1500...45_000 + 1500).contains(given), "\(given) ticks")
    }

    @Test func `Time and durations agree, whatever is missing`() {
        var random = SeededGenerator(seed: 3)
        for share in [1, 2, 5, 10, 30, 50] {
            let times = (0..<3000).filter { _ in Int.random(in: 0..<100, using: &random) >= share }
                .map(FrameRate(30).time(ofFrame:))
            let spans = spans(of: times)
            let passed = (times[times.count - 1] - times[0]).nanoseconds * 9 / 100_000
            #expect(abs(spans[spans.count - 1].end - passed) < 9000, "\(share) % missing")
        }
    }

    @Test(arguments: [5, 12, 15, 60])
    func `Another rate of the source is typical soon`(rate: Int) {
        var times = (0..<60).map(FrameRate(30).time(ofFrame:))
        times += (0..<200).map { FrameRate(rate).time(ofFrame: $0) + .seconds(2) }
        let durations = spans(of: times).map(\.duration)
        let expected = 90_000 / Double(rate)
        let steady = durations.suffix(150)
        // Until then time is saved and paid back, or was given ahead and is taken back.
        #expect(steady.filter { abs(Double($0) - expected) <= expected * 0.03 }.count >= 130, "\(durations)")
        #expect(abs(Double(steady.reduce(0, +)) - 150 * expected) <= expected * 2, "\(durations)")
    }

    @Test func `Still pictures at one per second do not starve the motion after them`() {
        var times = (0..<60).map { at(seconds: $0) }
        times += (0..<60).map { FrameRate(30).time(ofFrame: $0) + .seconds(60) }
        let durations = spans(of: times).suffix(59).map(\.duration)
        #expect(durations.allSatisfy { $0 >= 1500 && $0 <= 4500 }, "\(durations)")
        // Of what the pause saved, at most half a pause is paid back.
        let surplus = durations.reduce(0, +) - 59 * 3000
        #expect(surplus >= -3000 && surplus <= 45_000, "\(surplus) ticks")
    }

    /// As a recorder timestamps what a network brought it: 30 frames a second in all.
    @Test(arguments: [2, 3, 5, 10])
    func `Frames that come in bunches get the time that passed`(size: Int) {
        let times = (0..<600).map { FrameRate(30).time(ofFrame: $0 / size * size) + .milliseconds($0 % size) }
        let durations = spans(of: times).suffix(300).map(\.duration)
        // Of the gap before ten frames not all is paid back.
        let share = Double(durations.reduce(0, +)) / (300 * 3000)
        #expect(share > (size < 10 ? 0.99 : 0.9) && share < 1.01, "\(share)")
        #expect(durations.allSatisfy { $0 <= 4500 }, "\(durations)")
    }

    @Test func `A clock that is set back is not waited for`() {
        var times = (0..<60).map { FrameRate(30).time(ofFrame: $0) + .seconds(3600) }
        times += (0..<60).map(FrameRate(30).time(ofFrame:))
        let durations = spans(of: times).map(\.duration)
        #expect(durations.suffix(50).allSatisfy { abs($0 - 3000) <= 1500 }, "\(durations)")
    }

    @Test func `Another announced rate is typical at once`() {
        var timeline = timeline(30)
        for index in 0..<30 { _ = timeline.span(at: FrameRate(30).time(ofFrame: index)) }
        timeline.announce(15)
        let times = (0..<5).map { FrameRate(15).time(ofFrame: $0) + .seconds(1) }
        let durations = times.map { timeline.span(at: $0).duration }
        #expect(durations.dropFirst().allSatisfy { $0 == 6000 }, "\(durations)")
    }

    @Test func `A year between frames is ten seconds`() {
        let spans = spans(of: (0..<100).map { at(seconds: $0 * 365 * 86_400) })
        #expect(spans.suffix(50).allSatisfy { $0.duration == 900_000 })
    }

    private func at(seconds: Int) -> MediaTime { MediaTime.zero + .seconds(seconds) }

    private func timeline(_ rate: FrameRate) -> RateControlTimeline {
        RateControlTimeline(frameRate: rate, maximumBacklog: .seconds(1))
    }

    /// The spans of frames with these timestamps and an announced rate of 30 a second.
    private func spans(of times: [MediaTime]) -> [RateControlTimeline.Span] {
        var timeline = timeline(30)
        return times.map { timeline.span(at: $0) }
    }
}
