import Dispatch
import Glibc
import Rill
import RillCore
import Synchronization

/// A source that ends at Ctrl-C (or SIGTERM), so that a recording is completed and a live call has a report. A second
/// Ctrl-C terminates the process.
///
/// One owner, one thread at a time.
final class InterruptibleSource: FrameSource {
    private let source: any FrameSource
    private let interruption: Interruption

    init(_ source: any FrameSource, _ interruption: Interruption) {
        self.source = source
        self.interruption = interruption
    }

    var format: SourceFormat { source.format }

    func next() throws -> SourceOutput {
        interruption.isRequested ? .end : try source.next()
    }
}

/// Whether the user has pressed Ctrl-C. Made once per process, before anything is opened or written. Single owner.
final class Interruption {
    /// Shared with the thread on which Dispatch handles signals.
    private final class Flag: Sendable {
        let isSet = Atomic(false)
    }

    private let flag = Flag()
    private let watches: [any DispatchSourceSignal]

    /// Starts to handle the signals.
    init() {
        let flag = flag
        watches = [SIGINT, SIGTERM].map { number in
            let watch = DispatchSource.makeSignalSource(signal: number, queue: .global())
            // Dispatch needs the default action disabled, which terminates the process.
            signal(number, SIG_IGN)
            watch.setEventHandler {
                flag.isSet.store(true, ordering: .relaxed)
                // Delayed, because `timeout` and others send each signal twice, to the process and to its group.
                DispatchQueue.global().asyncAfter(deadline: .now() + 0.5) { signal(number, SIG_DFL) }
            }
            watch.resume()
            return watch
        }
    }

    var isRequested: Bool { flag.isSet.load(ordering: .relaxed) }
}
