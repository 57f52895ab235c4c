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
        /// From stamp to stamp, in nanoseconds.
        private let leap: Int64

        init(
            _ number: UInt8, _ resolution: Resolution = .qqvga, isLive: Bool = false, limit: Int = .max,
            start: MediaTime = .zero, ends: Monitor<Int>? = nil, rate: FrameRate = 500, leap: Int64 = 2_000_000
        ) throws {
            self.ends = ends
            self.leap = leap
            self.number = number
            self.limit = limit
            self.start = start
            format = SourceFormat(resolution: resolution, frameRate: rate, isLive: isLive)
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
            let time =
                format.isLive
                ? SystemDeviceCalls().now : MediaTime(nanoseconds: start.nanoseconds &+ leap &* Int64(count))
            return .frame(frame.finish(captureTime: time))
        }
    }

    private struct Seen: Equatable {
        var number: UInt8
        var resolution: Resolution
        var time: MediaTime
        var isDiscontinuity: Bool
    }

    private func pull(_ source: SwitchedSource, _ count: Int) throws -> [Seen] {
        var seen: [Seen] = []
        while seen.count < count {
            switch source.next() {
            case .frame(let frame):
                seen.append(
                    Seen(
                        number: frame.y[0, 0], resolution: frame.resolution, time: frame.captureTime,
                        isDiscontinuity: frame.isDiscontinuity))
            case .pending, .noBuffer: continue
            case .end: return seen
            }
        }
        return seen
    }

    @Test(arguments: [false, true], [false, true])
    func `After a change only the new source's frames follow, starting with a discontinuity, at rising times`(
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
        #expect(all.map(\.isDiscontinuity) == [5, 5, 3].flatMap { [true] + Array(repeating: false, count: $0 - 1) })
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

    @Test func `The old source is released`() throws {
        let ends = Monitor(0)
        let switcher = SourceSwitcher(try Numbered(1, ends: ends))
        let source = switcher.source
        _ = try pull(source, 2)
        #expect(ends.withLock { $0 } == 0)
        switcher.change(to: try Numbered(2))
        _ = try pull(source, 1)
        #expect(ends.withLock { $0 } == 1)
    }

    /// The events of a switcher, as text.
    private final class Events: Sendable {
        private let said = Monitor([String]())

        var words: [String] { said.withLock { $0 } }

        func add(_ event: SourceSwitcher.Event) {
            let word =
                switch event {
                case .ended(let number): "\(number) ended"
                case .failed(let number, let error): "\(number) failed: \(error)"
                }
            said.withLock { $0.append(word) }
        }
    }

    /// A source that throws after some frames, for ever.
    private final class Damaged: FrameSource {
        let format = SourceFormat(resolution: .qqvga, frameRate: 500)
        private let whole: Numbered
        init(_ number: UInt8, after count: Int) throws { whole = try Numbered(number, limit: count) }
        func next() throws -> SourceOutput {
            let output = whole.next()
            if case .end = output { throw TestFailure("damaged") }
            return output
        }
    }

    /// Pulls until `isDone`, and gives what came.
    private func pull(_ source: SwitchedSource, until isDone: () -> Bool) throws -> [Seen] {
        var seen: [Seen] = []
        let deadline = SystemDeviceCalls().now + .seconds(20)
        while !isDone() {
            guard SystemDeviceCalls().now < deadline else { throw TestFailure("nothing happened") }
            guard case .frame(let frame) = source.next() else { continue }
            seen.append(
                Seen(
                    number: frame.y[0, 0], resolution: frame.resolution, time: frame.captureTime,
                    isDiscontinuity: frame.isDiscontinuity))
        }
        return seen
    }

    @Test(arguments: [0, 1, 3])
    func `At the end of a clip the switcher reports it after the last frame, and continues with the next`(
        length: Int
    ) throws {
        let events = Events()
        let switcher = SourceSwitcher(try Numbered(1, limit: length)) { events.add($0) }
        let source = switcher.source
        let before = try pull(source) { !events.words.isEmpty }
        #expect(before.map(\.number) == Array(repeating: 1, count: length))
        #expect(events.words == ["0 ended"])
        guard case .ended = switcher.status else { return #expect(Bool(false), "\(switcher.status)") }
        if let last = before.last { #expect(SystemDeviceCalls().now - last.time >= .milliseconds(2)) }
        #expect(source.format.resolution == .qqvga)

        #expect(switcher.change(to: try Numbered(2, .vga, limit: 2)) == 1)
        guard case .showing = switcher.status else { return #expect(Bool(false), "\(switcher.status)") }
        let after = try pull(source) { events.words.count == 2 }
        #expect(after.map(\.number) == [2, 2] && after.map(\.isDiscontinuity) == [true, false])
        #expect(events.words == ["0 ended", "1 ended"])
        #expect(source.format.resolution == .vga)
        let all = before + after
        for (one, next) in zip(all, all.dropFirst()) { #expect(next.time > one.time) }
    }

    @Test func `A source that throws is released and reported, and the next one is shown`() throws {
        let events = Events()
        let switcher = SourceSwitcher(try Damaged(1, after: 2)) { events.add($0) }
        let source = switcher.source
        #expect(try pull(source) { !events.words.isEmpty }.count == 2)
        for _ in 0..<2 { #expect(isPending(source.next())) }
        #expect(events.words == ["0 failed: \(TestFailure("damaged"))"])
        guard case .failed(let error) = switcher.status else { return #expect(Bool(false), "\(switcher.status)") }
        #expect(error is TestFailure)
        switcher.change(to: try Numbered(2))
        #expect(try pull(source, 2).map(\.number) == [2, 2])
    }

    private func isPending(_ output: SourceOutput) -> Bool {
        if case .pending = output { true } else { false }
    }

    @Test func `Without anything to show it waits without work, and a change ends the wait`() throws {
        let switcher = SourceSwitcher(try Numbered(1, limit: 0))
        let source = switcher.source
        #expect(isPending(source.next()))
        let calls = SystemDeviceCalls()
        let start = calls.now
        for _ in 0..<3 { #expect(isPending(source.next())) }
        #expect(calls.now - start >= V4L2Camera.frameTimeout * 3)
        switcher.change(to: try Numbered(2))
        let seen = try pull(source, 1)
        #expect(seen.map(\.number) == [2])
    }

    /// The handler is called without a lock; an endless series of sources that end at once can still be stopped.
    @Test func `An event can be answered with the next source at once`() throws {
        let switcher = Monitor(SourceSwitcher?.none)
        let numbers = Monitor([Int]())
        let made = SourceSwitcher(try Numbered(1, limit: 0)) { event in
            guard case .ended(let number) = event, let answer = try? Numbered(UInt8(number + 2), limit: number % 2)
            else {
                return
            }
            numbers.withLock { $0.append(number) }
            switcher.withLock { $0 }?.change(to: answer)
        }
        switcher.withLock { $0 = made }
        defer { switcher.withLock { $0 = nil } }
        let source = made.source
        var shown: [UInt8] = []
        for _ in 0..<200 where numbers.withLock({ $0.count }) < 10 {
            if case .frame(let frame) = source.next() { shown.append(frame.y[0, 0]) }
        }
        #expect(numbers.withLock { $0 } == Array(0..<10))
        #expect(shown == [3, 5, 7, 9])
    }

    @Test func `A change while the last frame is shown does not report the end`() throws {
        let events = Events()
        let last = try Numbered(1, limit: 1, rate: 1)
        let switcher = SourceSwitcher(last) { events.add($0) }
        let source = switcher.source
        #expect(try pull(source, 1).map(\.number) == [1])
        // It has no more frames, but the only one is to be shown for a second.
        #expect(isPending(source.next()))
        switcher.change(to: try Numbered(2, limit: 2))
        #expect(try pull(source) { !events.words.isEmpty }.map(\.number) == [2, 2])
        #expect(events.words == ["1 ended"])
    }

    @Test func `A change fails when frames are no longer read, and releases its source`() throws {
        let ends = Monitor(0)
        let switcher = SourceSwitcher(try Numbered(1, ends: ends))
        var source: SwitchedSource? = switcher.source
        _ = source?.next()
        switcher.change(to: try Numbered(2, ends: ends))
        source = nil
        #expect(ends.withLock { $0 } == 2)
        #expect(switcher.change(to: try Numbered(3, ends: ends)) == nil)
        #expect(ends.withLock { $0 } == 3)
    }

    /// A source that looks at its switcher when it goes, which a lock that is held would not let it.
    @Test func `A source that was never shown is released without a lock`() throws {
        let switcher = SourceSwitcher(try Numbered(1))
        let looks = Monitor(0)
        final class Looking: FrameSource {
            let format = SourceFormat(resolution: .qqvga, frameRate: 30)
            let look: () -> Void
            init(_ look: @escaping @Sendable () -> Void) { self.look = look }
            deinit { look() }
            func next() -> SourceOutput { .end }
        }
        let look: @Sendable () -> Void = {
            _ = switcher.status
            looks.withLock { $0 += 1 }
        }
        var source: SwitchedSource? = switcher.source
        switcher.change(to: Looking(look))
        switcher.change(to: Looking(look))
        #expect(looks.withLock { $0 } == 1)
        _ = source?.next()
        switcher.change(to: Looking(look))
        source = nil
        #expect(looks.withLock { $0 } == 3)
        switcher.change(to: Looking(look))
        #expect(looks.withLock { $0 } == 4)
    }

    @Test(arguments: LiveClip.Ending.allCases)
    func `Times rise from a clip that ends, is held or played again`(ending: LiveClip.Ending) throws {
        let clip = try LiveClip(atEnd: ending) { try Numbered(1, limit: 3, start: .zero + .seconds(9)) }
        let switcher = SourceSwitcher(clip)
        let source = switcher.source
        let before = try pull(source, ending == .end ? 3 : 10)
        switcher.change(to: try Numbered(2, isLive: true))
        let after = try pull(source, 2)
        #expect(before.allSatisfy { $0.number == 1 } && after.map(\.number) == [2, 2])
        let beginnings = before.indices.filter { before[$0].isDiscontinuity }
        #expect(beginnings == (ending == .loop ? [0, 3, 6, 9] : [0]) && after[0].isDiscontinuity)
        for index in before.indices.dropFirst() {
            #expect(before[index].time - before[index - 1].time == .milliseconds(2), "\(ending), frame \(index)")
        }
        #expect(after[0].time > before[before.count - 1].time && after[1].time > after[0].time)
    }

    @Test func `Stamps beyond all times are never due, and a change ends the wait`() throws {
        let switcher = SourceSwitcher(try Numbered(1, start: MediaTime(nanoseconds: .min), leap: .max))
        let source = switcher.source
        #expect(try pull(source, 1).count == 1)
        #expect(isPending(source.next()))
        switcher.change(to: try Numbered(2))
        #expect(try pull(source, 2).map(\.number) == [2, 2])
    }

    @Test func `Frames of a clip are paced by their timestamps`() throws {
        let switcher = SourceSwitcher(try Numbered(1))
        let source = switcher.source
        let start = SystemDeviceCalls().now
        let seen = try pull(source, 21)
        #expect(seen[20].time - seen[0].time == .milliseconds(40))
        #expect(SystemDeviceCalls().now - start >= .milliseconds(40))
    }
}
