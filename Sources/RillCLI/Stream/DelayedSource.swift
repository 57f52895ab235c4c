import Rill
import RillCore
import RillThreads

/// A source whose first frame comes when it may: when there is somebody to send it to, and a player had time to start.
///
/// One owner, one thread at a time; when it begins is said by any.
final class DelayedSource: FrameSource {
    /// When the first frame may come.
    final class Start: Sendable {
        private let time = Monitor<MediaTime?>(nil)

        func set(_ time: MediaTime) { self.time.withLock { $0 = time } }

        fileprivate var known: MediaTime? { time.withLock { $0 } }
    }

    private let source: any FrameSource
    private let clock: LiveClock
    private let start: Start
    private var hasBegun = false

    init(_ source: any FrameSource, from start: Start, on clock: LiveClock) {
        (self.source, self.start, self.clock) = (source, start, clock)
    }

    var format: SourceFormat { source.format }

    func next() throws -> SourceOutput {
        guard !hasBegun else { return try source.next() }
        let now = clock.now
        let time = start.known ?? .distantFuture
        guard now < time else {
            hasBegun = true
            return try source.next()
        }
        // In short steps: whoever wants to stop meanwhile can.
        clock.sleep(until: min(time, now + .milliseconds(20)))
        return .pending
    }
}
