import Dispatch
import Glibc
import Rill
import RillCore
import Synchronization

/// A source that ends at Ctrl-C (or SIGTERM, or SIGHUP when its terminal is closed), so that a recording is completed
/// and a live call has a report. A second Ctrl-C terminates the process.
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

    /// The signals that are handled. `nohup` ignores SIGHUP, and then so do we.
    static let signals = [SIGINT, SIGTERM] + (isIgnored(SIGHUP) ? [] : [SIGHUP])

    private let flag = Flag()
    private let watches: [any DispatchSourceSignal]

    /// Starts to handle the signals.
    init() {
        let flag = flag
        watches = Interruption.signals.map { number in
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

    /// Whether the process that started this one ignores a signal.
    private static func isIgnored(_ number: Int32) -> Bool {
        var action = sigaction()
        guard unsafe sigaction(number, nil, &action) == 0 else { return false }
        // The handler is a number: 0 for the default, 1 for none, or the address of a function.
        return unsafe unsafeBitCast(action.__sigaction_handler.sa_handler, to: Int.self)
            == unsafeBitCast(SIG_IGN, to: Int.self)
    }

    var isRequested: Bool { flag.isSet.load(ordering: .relaxed) }
}

/// A source that turns its errors into input errors (``readingInput(_:)``), so that they keep their exit code through
/// all layers.
final class InputSource: FrameSource {
    private let source: any FrameSource

    init(_ source: any FrameSource) {
        self.source = source
    }

    var format: SourceFormat { source.format }

    func next() throws -> SourceOutput {
        try readingInput { try source.next() }
    }
}
