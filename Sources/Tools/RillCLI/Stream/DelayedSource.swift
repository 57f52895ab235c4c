import Rill
import RillCore
import RillThreads

/// A source that delays its first frame until a start time, so that a player can be started first. With a duration it
/// ends after that time, so that NACKs after the end are still answered.
///
/// One owner, one thread at a time; any thread may set the start time.
final class DelayedSource: FrameSource {
    /// The time of the first frame.
    final class Start: Sendable {
        private let time = Monitor<MediaTime?>(nil)

        /// Sets it, once: later calls change nothing.
        func set(_ time: MediaTime) { self.time.withLock { $0 = $0 ?? time } }

        fileprivate var known: MediaTime? { time.withLock { $0 } }
    }

    private let source: any FrameSource
    private let clock: LiveClock
    private let start: Start
    private let duration: MediaDuration?
    private var hasBegun = false
    /// The capture time of the first frame.
    private var first: MediaTime?

    init(_ source: any FrameSource, from start: Start, for duration: MediaDuration?, on clock: LiveClock) {
        (self.source, self.start, self.duration, self.clock) = (source, start, duration, clock)
    }

    var format: SourceFormat { source.format }

    func next() throws -> SourceOutput {
        guard !hasBegun else { return try nextInTime() }
        let now = clock.now
        let time = start.known ?? .distantFuture
        guard now < time else {
            hasBegun = true
            return try nextInTime()
        }
        // In short steps, so that Ctrl-C takes effect.
        clock.sleep(until: min(time, now + .milliseconds(20)))
        return .pending
    }

    private func nextInTime() throws -> SourceOutput {
        let output = try source.next()
        guard let duration else { return output }
        switch output {
        case .frame(let frame):
            let first = self.first ?? frame.captureTime
            self.first = first
            return frame.captureTime - first < duration ? output : .end
        // Without frames from a camera, the clock ends the source.
        case .pending: return clock.now < (start.known ?? .zero) + duration ? output : .end
        case .noBuffer, .end: return output
        }
    }
}
