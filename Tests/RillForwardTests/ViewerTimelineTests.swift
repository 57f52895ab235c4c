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
            #expect(abs((time.nanoseconds - Int64(arrival) * 1_000_000) / 1_000_000_000) < 200, "frame \(index)")
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
}
