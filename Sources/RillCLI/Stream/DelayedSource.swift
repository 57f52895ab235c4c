import Rill
import RillCore
import RillThreads

/// A source whose first frame comes when it may: when there is somebody to send it to, and a player had time to start. It ends after a
/// time, where one is given: what is sent then has an end, behind which requests for lost packets are still answered.
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
        // In short steps: whoever wants to stop meanwhile can.
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
        // A camera that gives nothing ends by the clock.
        case .pending: return clock.now < (start.known ?? .zero) + duration ? output : .end
        case .noBuffer, .end: return output
        }
    }
}
