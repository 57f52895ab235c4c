import RillCore
import RillTestSupport
import Testing

@testable import RillCapture

/// The behavior after a clip's last frame.
@Suite struct ClipEndingTests {
    /// Frames with those timestamps, each of its own shade.
    private final class Stamped: FrameSource {
        let format: SourceFormat
        private var timestamps: [MediaTime]
        private let pool: FramePool
        private var number: UInt8 = 0

        init(_ timestamps: [Int], rate: FrameRate?, capacity: Int = 4) throws {
            self.timestamps = timestamps.map { MediaTime(nanoseconds: Int64($0)) }
            format = SourceFormat(resolution: .qqvga, frameRate: rate, frameCount: timestamps.count)
            pool = try FramePool(resolution: .qqvga, capacity: capacity)
        }

        func next() -> SourceOutput {
            guard !timestamps.isEmpty else { return .end }
            guard var frame = pool.makeFrame() else { return .noBuffer }
            var planes = frame.planes
            planes.y.fill(number)
            number += 1
            return .frame(frame.finish(captureTime: timestamps.removeFirst()))
        }
    }

    private struct Seen: Equatable {
        var number: UInt8
        var time: Int64
        var isDiscontinuity: Bool
        init(_ number: UInt8, _ time: Int64, _ isDiscontinuity: Bool = false) {
            (self.number, self.time, self.isDiscontinuity) = (number, time, isDiscontinuity)
        }
    }

    /// Pulls at most `count` frames. Each is released before the next is requested.
    private func pull(_ clip: LiveClip, _ count: Int) throws -> [Seen] {
        var (seen, refusals) = ([Seen](), 0)
        while seen.count < count {
            switch try clip.next() {
            case .frame(let frame):
                seen.append(Seen(frame.y[0, 0], frame.captureTime.nanoseconds, frame.isDiscontinuity))
            case .noBuffer, .pending:
                refusals += 1
                guard refusals < 1000 else { throw TestFailure("no buffer, for ever, after \(seen.count) frames") }
            case .end: return seen
            }
        }
        return seen
    }

    @Test func `A clip ends at its own end, once, and reports it`() throws {
        let events = Monitor([LiveClip.Event]())
        let clip = try LiveClip(atEnd: .end, onEvent: { event in events.withLock { $0.append(event) } }) {
            try Stamped([0, 10, 20], rate: 100)
        }
        #expect(clip.format.frameCount == 3)
        #expect(try pull(clip, 9) == [Seen(0, 0), Seen(1, 10), Seen(2, 20)])
        #expect(try pull(clip, 9).isEmpty)
        #expect(events.withLock { $0 } == [.ended])
    }

    @Test(arguments: [(50, 20_000_000), (nil, 30_000_000), (2_000_000_000, 1_000_000)] as [(FrameRate?, Int64)])
    func `The last frame is held, with new timestamps at the clip's rate`(rate: FrameRate?, step: Int64) throws {
        let events = Monitor([LiveClip.Event]())
        let clip = try LiveClip(atEnd: .hold, onEvent: { event in events.withLock { $0.append(event) } }) {
            try Stamped([0, 10_000_000, 40_000_000], rate: rate)
        }
        #expect(clip.format.frameCount == nil)
        let seen = try pull(clip, 103)
        #expect(seen.prefix(3) == [Seen(0, 0), Seen(1, 10_000_000), Seen(2, 40_000_000)])
        for index in 3..<103 { #expect(seen[index] == Seen(2, 40_000_000 + Int64(index - 2) * step)) }
        #expect(events.withLock { $0 } == [.ended])
    }

    /// Uneven timestamps stay so; a clip whose first stamp is not zero leaves no gap; each time begins with a
    /// discontinuity.
    @Test(arguments: [(50, 20), (nil, 30)] as [(FrameRate?, Int64)])
    func `A clip restarts after the duration of its last frame`(rate: FrameRate?, last: Int64) throws {
        let events = Monitor([LiveClip.Event]())
        let clip = try LiveClip(atEnd: .loop, onEvent: { event in events.withLock { $0.append(event) } }) {
            try Stamped([5_000_000, 15_000_000, 45_000_000], rate: rate)
        }
        let seen = try pull(clip, 8)
        let expected: [Seen] = (0..<8).map { index in
            let (playing, number) = (Int64(index / 3), index % 3)
            let time = 5 + playing * (40 + last) + [0, 10, 40][number]
            return Seen(UInt8(number), time * 1_000_000, playing > 0 && number == 0)
        }
        #expect(seen == expected)
        #expect(events.withLock { $0 } == [.playedAgain(times: 2), .playedAgain(times: 3)])
    }

    @Test func `A clip of one frame is held instead of repeated: nothing jumps`() throws {
        let opened = Monitor(0)
        let clip = try LiveClip(atEnd: .loop) {
            opened.withLock { $0 += 1 }
            return try Stamped([7], rate: 50)
        }
        let seen = try pull(clip, 5)
        #expect(seen == (0..<5).map { Seen(0, 7 + Int64($0) * 20_000_000) })
        #expect(opened.withLock { $0 } == 1)
    }

    @Test(arguments: LiveClip.Ending.allCases)
    func `An empty clip ends, and is not opened again and again`(ending: LiveClip.Ending) throws {
        let opened = Monitor(0)
        let clip = try LiveClip(atEnd: ending) {
            opened.withLock { $0 += 1 }
            return try Stamped([], rate: 50)
        }
        for _ in 0..<3 { #expect(try pull(clip, 1).isEmpty) }
        #expect(opened.withLock { $0 } == 1)
    }

    @Test func `A clip that has become empty, or cannot be opened again, ends`() throws {
        let opened = Monitor(0)
        let emptied = try LiveClip(atEnd: .loop) {
            opened.withLock { $0 += 1 }
            return try Stamped(opened.withLock { $0 } < 3 ? [0, 1] : [], rate: 50)
        }
        #expect(try pull(emptied, 9).count == 4)
        #expect(try pull(emptied, 9).isEmpty && opened.withLock { $0 } == 3)

        let tries = Monitor(0)
        let removed = try LiveClip(atEnd: .loop) {
            tries.withLock { $0 += 1 }
            guard tries.withLock({ $0 }) == 1 else { throw TestFailure("removed") }
            return try Stamped([0, 1], rate: 50)
        }
        #expect(throws: TestFailure.self) { try pull(removed, 9) }
        #expect(try pull(removed, 9).isEmpty && tries.withLock { $0 } == 2)
    }

    @Test(arguments: [1, 2, 3], [LiveClip.Ending.hold, .loop])
    func `To keep the last frame takes no buffer from a clip that has few`(
        capacity: Int, ending: LiveClip.Ending
    ) throws {
        let clip = try LiveClip(atEnd: ending) {
            try Stamped((0..<20).map { $0 * 20_000_000 }, rate: 50, capacity: capacity)
        }
        let seen = try pull(clip, 45)
        #expect(seen.prefix(20).map(\.number) == (0..<20).map { UInt8($0) })
        #expect(seen[44].number == (ending == .hold ? 19 : 4))
        for index in 1..<45 { #expect(seen[index].time - seen[index - 1].time == 20_000_000, "frame \(index)") }
    }

    /// Files come from strangers.
    @Test(arguments: LiveClip.Ending.allCases, [nil, FrameRate(2_147_483_647), FrameRate(1, per: 2_147_483_647)])
    func `Timestamps that repeat, go back, or exceed all times stop nothing`(
        ending: LiveClip.Ending, rate: FrameRate?
    ) throws {
        let odd: [[Int]] = [
            [0, 0, 0], [30, 20, 10], [0, .max], [0, .max - 1], [.min, 0], [.min, .max], [.max - 1, .min],
            [.min, .min + 1],
        ]
        for timestamps in odd {
            let clip = try LiveClip(atEnd: ending) { try Stamped(timestamps, rate: rate) }
            let seen = try pull(clip, 12)
            for index in seen.indices.dropFirst() {
                #expect(seen[index].time > seen[index - 1].time, "\(timestamps), frame \(index)")
            }
        }
    }
}
