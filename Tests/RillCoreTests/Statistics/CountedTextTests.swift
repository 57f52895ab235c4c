import Foundation
import RillCore
import Testing

@Suite struct CountedTextTests {
    @Test func `Counts are shown by name, zeros are not`() {
        var statistics = EncoderStatistics()
        #expect("\(statistics)" == "nothing")
        statistics.framesEncoded = 120
        statistics.qpSum = -1
        #expect("\(statistics)" == "framesEncoded 120, qpSum -1")
    }

    @Test func `Parts of counts are in brackets, unknown ones are omitted`() {
        struct Inner { var tooSoon = 2, overBudget = 0 }
        struct Quiet { var never = 0 }
        struct Source: RawRepresentable, CustomStringConvertible {
            var rawValue: UInt32
            var description: String { "#\(rawValue)" }
        }
        struct Outer {
            var refused = Inner()
            var quiet = Quiet()
            var lost: Int? = nil
            var found: Int? = 3
            var share: Double? = 0.25
            var roundTrip: MediaDuration? = .milliseconds(42)
            var level = Rotation.clockwise90
            var failure: String? = "cut off"
            var damage: String? = nil
            var path = ""
            var flows: [Int] = []
            var sizes = [1, 2]
            var source = Source(rawValue: 7)
        }
        #expect(
            countedText(Outer())
                == "refused (tooSoon 2), found 3, share 0.25, roundTrip 42ms, level clockwise90, failure \"cut off\", sizes [1, 2], source #7"
        )
        #expect(
            countedText("high", [("encoder", "a"), ("stream", "b")])
                == """
                high
                  encoder  a
                  stream   b
                """)
    }

    @Test func `Times are seconds in JSON, and come back to the nanosecond`() throws {
        let durations = [0, 1, -1, 999_999_999, 1_250_000_000, 3_600_000_000_001, -86_400_000_000_007]
            .map { MediaDuration(nanoseconds: $0) }
        let bytes = try JSONEncoder().encode(durations)
        #expect(try JSONDecoder().decode([MediaDuration].self, from: bytes) == durations)
        let quarter = try JSONEncoder().encode([MediaDuration.milliseconds(1250)])
        #expect(String(decoding: quarter, as: UTF8.self) == "[1.25]")
        let points = durations.map { MediaTime.zero + $0 }
        #expect(try JSONDecoder().decode([MediaTime].self, from: bytes) == points)
        for text in ["[1e300]", "[-1e11]", "[\"1\"]", "[null]"] {
            #expect(throws: DecodingError.self, "\(text)") {
                try JSONDecoder().decode([MediaDuration].self, from: Data(text.utf8))
            }
        }
    }

    @Test func `Names and sizes from other programs are checked`() throws {
        let rid = try JSONDecoder().decode([StreamLayer.RID].self, from: Data(#"["low"]"#.utf8))
        #expect(rid == [.low])
        #expect(throws: DecodingError.self) {
            try JSONDecoder().decode([StreamLayer.RID].self, from: Data(#"["not a name"]"#.utf8))
        }
        let size = Resolution(width: 1280, height: 720)
        #expect(try JSONDecoder().decode(Resolution.self, from: JSONEncoder().encode(size)) == size)
        #expect(throws: DecodingError.self) {
            try JSONDecoder().decode(Resolution.self, from: Data(#"{"width":0,"height":720}"#.utf8))
        }
    }

    @Test func `The standard library's operators work with our times`() {
        func moved<Point: InstantProtocol>(_ point: Point, by steps: [Point.Duration]) -> Point {
            steps.reduce(point) { $0.advanced(by: $1) }
        }
        let start = MediaTime.zero
        #expect(moved(start, by: [.milliseconds(40), .milliseconds(-10)]) == start + .milliseconds(30))
        #expect(start.duration(to: start + .seconds(1)) == .seconds(1))
        #expect(MediaDuration.seconds(3) / MediaDuration.milliseconds(1500) == 2)
        #expect(Rotation.clockwise90 + .zero == .clockwise90)
    }
}
