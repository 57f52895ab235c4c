import Dispatch
import Glibc
import Rill
import RillCore
import Synchronization

/// A source that ends at Ctrl-C (or SIGTERM), so that what was taken until then is finished and told of: a recording has
/// its end, a live call its report. A second Ctrl-C ends the process as ever.
///
/// Made before anything is opened or written, and once in a process. One owner, one thread at a time.
final class InterruptibleSource: FrameSource {
    private let source: any FrameSource
    private let interruption: Interruption

    init(_ source: any FrameSource, _ interruption: Interruption) {
        self.source = source
        self.interruption = interruption
    }

    var format: SourceFormat { source.format }

    func next() throws -> SourceOutput {
        interruption.isWanted ? .end : try source.next()
    }
}

/// Whether somebody has pressed Ctrl-C. Single owner.
final class Interruption {
    /// Shared with the thread on which Dispatch tells of signals.
    private final class Flag: Sendable {
        let isSet = Atomic(false)
    }

    private let flag = Flag()
    private let watches: [any DispatchSourceSignal]

    /// Takes the signals from here on.
    init() {
        let flag = flag
        watches = [SIGINT, SIGTERM].map { number in
            let watch = DispatchSource.makeSignalSource(signal: number, queue: .global())
            // What Dispatch listens to must not end the process by itself.
            signal(number, SIG_IGN)
            watch.setEventHandler {
                flag.isSet.store(true, ordering: .relaxed)
                // `timeout` and others send each signal twice, to the process and to its group.
                DispatchQueue.global().asyncAfter(deadline: .now() + 0.5) { signal(number, SIG_DFL) }
            }
            watch.resume()
            return watch
        }
    }

    var isWanted: Bool { flag.isSet.load(ordering: .relaxed) }
}
