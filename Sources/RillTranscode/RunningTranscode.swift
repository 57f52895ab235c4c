public import RillCore
import RillThreads

/// A ``Transcoder`` at work on threads of its own.
///
///     let running = transcoder.start()
///     for await progress in running.progress { show(progress.fraction) }
///     let report = try await running.report()
///
/// Any task and thread may use it. It goes on when nobody holds it any more.
public final class RunningTranscode: Sendable {
    private struct State {
        var result: Result<TranscodeReport, any Error>?
        var waiting: [CheckedContinuation<TranscodeReport, any Error>] = []
    }

    private let meter: TranscodeMeter
    private let state: Monitor<State>

    /// How far it is: the newest value each time that one is asked for, ever fewer where it is asked seldom. It ends with the
    /// work. For one reader.
    public let progress: AsyncStream<TranscodeProgress>

    init(_ work: TranscodeWork) {
        let state = Monitor(State())
        let meter = work.meter
        self.state = state
        self.meter = meter
        progress = meter.stream
        // Handed over to the thread here: nobody else holds it. Encoders and files are let go before anybody hears of the end.
        nonisolated(unsafe) var handedOver: TranscodeWork? = work
        _ = NamedThread("rill-transcode") {
            let result = Result { try (unsafe handedOver!).run() }
            unsafe handedOver = nil
            let waiting = state.change { state in
                state.result = result
                defer { state.waiting = [] }
                return state.waiting
            }
            meter.finish()
            for continuation in waiting { continuation.resume(with: result) }
        }
    }

    /// Ends the work as soon as may be: ``report()`` then throws `CancellationError`. Does not wait.
    public func cancel() { meter.cancel() }

    /// What was done, once all threads are done. When the task that waits is cancelled, so is the work.
    ///
    /// - Throws: an error of an encoder, a sink or a file; `CancellationError`. No output bears its name then.
    public func report() async throws -> TranscodeReport {
        try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { continuation in
                let result = state.withLock { state -> Result<TranscodeReport, any Error>? in
                    if state.result == nil { state.waiting.append(continuation) }
                    return state.result
                }
                if let result { continuation.resume(with: result) }
            }
        } onCancel: {
            cancel()
        }
    }

    /// How far it is now.
    public var newestProgress: TranscodeProgress { meter.newest }

    /// Waits, on this thread, until the work is done or so much time has passed; gives what was done, or `nil`. Not for
    /// tasks: it blocks. ``report()`` is for them.
    public func wait(atMost duration: MediaDuration) throws -> TranscodeReport? {
        let clock = LiveClock()
        let deadline = clock.monotonic(clock.now + duration)
        return try state.wait(untilMonotonic: deadline) { $0.result }?.get()
    }

    /// Waits, on this thread, until the work is done.
    public func wait() throws -> TranscodeReport {
        try state.wait { $0.result }.get()
    }
}
