import RillCore
import RillTestSupport
import Testing

@testable import RillCapture

/// One source after another, as one.
@Suite struct SourceSwitcherTests {
    /// Frames that bear their source's number in their samples.
    private final class Numbered: FrameSource {
        let format: SourceFormat
        private let number: UInt8
        private let pool: FramePool
        private var count = 0
        private let limit: Int
        private let start: MediaTime
        private let ends: Monitor<Int>?

        init(
            _ number: UInt8, _ resolution: Resolution = .qqvga, isLive: Bool = false, limit: Int = .max,
            start: MediaTime = .zero, ends: Monitor<Int>? = nil
        ) throws {
            self.ends = ends
            self.number = number
            self.limit = limit
            self.start = start
            format = SourceFormat(resolution: resolution, frameRate: 500, isLive: isLive)
            pool = try FramePool(resolution: resolution, capacity: 4)
        }

        deinit {
            ends?.withLock { $0 += 1 }
        }

        func next() -> SourceOutput {
            guard count < limit else { return .end }
            guard var frame = pool.makeFrame() else { return .noBuffer }
            var planes = frame.planes
            planes.y.fill(number)
            defer { count += 1 }
            let time = format.isLive ? SystemDeviceCalls().now : start + .milliseconds(2 * count)
            return .frame(frame.finish(captureTime: time))
        }
    }

    private struct Seen: Equatable {
        var number: UInt8
        var resolution: Resolution
        var time: MediaTime
        var isBeginning: Bool
    }

    private func pull(_ source: SwitchedSource, _ count: Int) throws -> [Seen] {
        var seen: [Seen] = []
        while seen.count < count {
            switch try source.next() {
            case .frame(let frame):
                seen.append(
                    Seen(
                        number: frame.y[0, 0], resolution: frame.resolution, time: frame.captureTime,
                        isBeginning: frame.isBeginning))
            case .pending, .noBuffer: continue
            case .end: return seen
            }
        }
        return seen
    }

    @Test(arguments: [false, true], [false, true])
    func `After a change come frames of the new source alone, the first as a beginning, at times that rise`(
        firstIsLive: Bool, secondIsLive: Bool
    ) throws {
        let switcher = SourceSwitcher(try Numbered(1, isLive: firstIsLive, start: .zero + .seconds(7)))
        let source = switcher.source
        let before = try pull(source, 5)
        switcher.change(to: try Numbered(2, .vga, isLive: secondIsLive))
        let after = try pull(source, 5)
        switcher.change(to: try Numbered(3))
        let last = try pull(source, 3)
        #expect(before.allSatisfy { $0.number == 1 && $0.resolution == .qqvga })
        #expect(after.allSatisfy { $0.number == 2 && $0.resolution == .vga })
        #expect(last.allSatisfy { $0.number == 3 })
        let all = before + after + last
        #expect(all.map(\.isBeginning) == [5, 5, 3].flatMap { [true] + Array(repeating: false, count: $0 - 1) })
        for index in 1..<all.count { #expect(all[index].time > all[index - 1].time, "frame \(index)") }
        #expect(source.format.isLive && source.format.resolution == .qqvga)
    }

    @Test func `A frame that was pulled before a change and not given is thrown away`() throws {
        // Its second frame is due in a second: it waits in the switcher.
        let slow = try Numbered(1, limit: 1)
        let switcher = SourceSwitcher(slow)
        let source = switcher.source
        #expect(try pull(source, 1).map(\.number) == [1])
        let late = try Numbered(4, start: .zero)
        switcher.change(to: late)
        switcher.change(to: try Numbered(5))
        #expect(try pull(source, 3).map(\.number) == [5, 5, 5])
    }

    @Test func `The old source is let go`() throws {
        let ends = Monitor(0)
        let switcher = SourceSwitcher(try Numbered(1, ends: ends))
        let source = switcher.source
        _ = try pull(source, 2)
        #expect(ends.withLock { $0 } == 0)
        switcher.change(to: try Numbered(2))
        _ = try pull(source, 1)
        #expect(ends.withLock { $0 } == 1)
    }

    @Test func `Where a clip ends, the source ends`() throws {
        let switcher = SourceSwitcher(try Numbered(1, limit: 3))
        let source = switcher.source
        #expect(try pull(source, 10).count == 3)
        switcher.change(to: try Numbered(2, limit: 2))
        #expect(try pull(source, 10).map(\.number) == [2, 2])
    }

    @Test func `Frames of a clip are paced by their stamps`() throws {
        let switcher = SourceSwitcher(try Numbered(1))
        let source = switcher.source
        let start = SystemDeviceCalls().now
        let seen = try pull(source, 21)
        #expect(seen[20].time - seen[0].time == .milliseconds(40))
        #expect(SystemDeviceCalls().now - start >= .milliseconds(40))
    }
}
