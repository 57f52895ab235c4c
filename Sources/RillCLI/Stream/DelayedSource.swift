import Glibc
import Rill
import RillCore
import RillThreads

/// A source whose first frame comes after a while: until then a player can be started that misses nothing.
///
/// One owner, one thread at a time.
final class DelayedSource: FrameSource {
    private let source: any FrameSource
    private let clock: LiveClock
    private let start: MediaTime
    private var hasBegun = false

    init(_ source: any FrameSource, until start: MediaTime, on clock: LiveClock) {
        (self.source, self.start, self.clock) = (source, start, clock)
    }

    var format: SourceFormat { source.format }

    func next() throws -> SourceOutput {
        guard !hasBegun else { return try source.next() }
        let now = clock.now
        guard now < start else {
            hasBegun = true
            return try source.next()
        }
        // In short steps: whoever wants to stop meanwhile can.
        clock.sleep(until: min(start, now + .milliseconds(50)))
        return .pending
    }
}
