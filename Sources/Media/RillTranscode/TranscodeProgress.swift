public import RillCore
import Synchronization

/// The progress of a ``RunningTranscode``.
public struct TranscodeProgress: Codable, Sendable, Equatable {
    /// Frames read for output.
    public var framesRead = 0
    /// Frames analyzed by the first of two passes.
    public var framesAnalyzed = 0
    /// The duration of the frames read so far, all parts together.
    public var mediaTime = MediaDuration.zero
    /// The total number of frames, if known.
    public var totalFrames: Int?
    /// The number of passes over the source: two if an output is coded in two.
    public var passCount = 1
    /// The outputs in order: what was coded or scaled so far, in any part of the clip.
    public var outputs: [TranscodeReport.Output]

    /// The completed share of the work, 0 to 1, if the number of frames is known. A first pass counts as a fifth of
    /// the second, which is its cost.
    public var fraction: Double? {
        guard let totalFrames, totalFrames > 0 else { return nil }
        let (weight, total) = (0.2, Double(totalFrames))
        guard passCount > 1 else { return min(1, Double(framesRead) / total) }
        return min(1, (Double(framesRead) + weight * Double(framesAnalyzed)) / (total * (1 + weight)))
    }
}

extension TranscodeProgress {
    /// The progress of work without a ``Transcoder``.
    package init(framesRead: Int) { self.init(framesRead: framesRead, outputs: []) }
}

/// State shared by the threads of a transcode: the latest progress, and whether to continue.
final class TranscodeMeter: Sendable {
    private let state: Monitor<State>
    private let isCancelledFlag = Atomic(false)
    private let lastPart = Atomic(Int.max)
    let stream: AsyncStream<TranscodeProgress>

    private struct State {
        var progress: TranscodeProgress
        /// Whether a thread is publishing the latest progress.
        var isPublishing = false
        /// Whether there is a newer value than the one being published.
        var isNewer = false
    }

    private let continuation: AsyncStream<TranscodeProgress>.Continuation

    init(outputCount: Int, totalFrames: Int?, passCount: Int) {
        let outputs = [TranscodeReport.Output](repeating: .init(), count: outputCount)
        state = Monitor(
            State(progress: TranscodeProgress(totalFrames: totalFrames, passCount: passCount, outputs: outputs)))
        // Only the latest value is buffered: a slow reader causes no growth.
        (stream, continuation) = AsyncStream.makeStream(bufferingPolicy: .bufferingNewest(1))
    }

    var newest: TranscodeProgress { state.withLock { $0.progress } }

    /// Changes the progress and publishes it. Only one thread publishes at a time: an older value must not follow a
    /// newer one, and the reader's code may run here.
    func update(_ body: (inout TranscodeProgress) -> Void) {
        var isTeller = state.withLock { state in
            body(&state.progress)
            state.isNewer = true
            defer { state.isPublishing = true }
            return !state.isPublishing
        }
        while isTeller {
            let progress = state.withLock { state -> TranscodeProgress? in
                state.isPublishing = state.isNewer
                state.isNewer = false
                return state.isPublishing ? state.progress : nil
            }
            isTeller = progress != nil
            if let progress { continuation.yield(progress) }
        }
    }

    /// Ends the progress stream.
    func finish() { continuation.finish() }

    /// Makes all threads stop as soon as possible.
    func cancel() { isCancelledFlag.store(true, ordering: .relaxed) }

    var isCancelled: Bool { isCancelledFlag.load(ordering: .relaxed) }

    /// Makes the threads stop that work on later parts: the source ended in this one.
    func end(withPart part: Int) {
        _ = lastPart.min(part, ordering: .relaxed)
    }

    /// Whether work on that part is no longer needed.
    func isOver(part: Int) -> Bool { isCancelled || part > lastPart.load(ordering: .relaxed) }
}
