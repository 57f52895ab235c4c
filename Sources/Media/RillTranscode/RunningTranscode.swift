public import RillCore
import RillThreads

/// A ``Transcoder`` at work on its own threads.
///
/// ```swift
/// let running = transcoder.start()
/// for await progress in running.progress { show(progress.fraction) }
/// let report = try await running.report()
/// ```
///
/// Usable from any task and thread. It continues when no reference to it is left.
public final class RunningTranscode: Sendable {
    private struct State {
        var result: Result<TranscodeReport, any Error>?
        var waiting: [CheckedContinuation<TranscodeReport, any Error>] = []
    }

    private let meter: TranscodeMeter
    private let state: Monitor<State>

    /// The progress: the latest value each time that one is requested, so a slow reader skips values. It ends with
    /// the work. For a single reader.
    public let progress: AsyncStream<TranscodeProgress>

    init(_ work: TranscodeWork) {
        let state = Monitor(State())
        let meter = work.meter
        self.state = state
        self.meter = meter
        progress = meter.stream
        // Transferred to the thread here. Encoders and files are released before the end is reported.
        nonisolated(unsafe) var handedOver: TranscodeWork? = work
        do throws(ThreadError) {
            _ = try NamedThread("rill-transcode") {
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
        } catch {
            unsafe handedOver = nil
            state.withLock { $0.result = .failure(error) }
            meter.finish()
        }
    }

    /// Cancels the work as soon as possible: ``report()`` then throws `CancellationError`. It does not wait.
    public func cancel() { meter.cancel() }

    /// Returns the report after all threads are done. Cancelling the waiting task cancels the work.
    ///
    /// - Throws: an error of an encoder, a sink, a file or a thread, or `CancellationError`. Then no output has its
    ///   final name.
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

    /// The latest progress.
    public var newestProgress: TranscodeProgress { meter.newest }

    /// Waits on this thread until the work is done or that time has passed. Returns the report, or `nil` after the
    /// time. It blocks, so tasks should use ``report()``.
    public func wait(atMost duration: MediaDuration) throws -> TranscodeReport? {
        let clock = LiveClock()
        let deadline = clock.monotonic(clock.now + duration)
        return try state.wait(untilMonotonic: deadline) { $0.result }?.get()
    }

    /// Waits on this thread until the work is done.
    public func wait() throws -> TranscodeReport {
        try state.wait { $0.result }.get()
    }
}
