public import RillCore
import Synchronization

/// How far a ``RunningTranscode`` is.
public struct TranscodeProgress: Codable, Sendable, Equatable {
    /// Frames read to be written.
    public var framesRead = 0
    /// Frames looked at by the first of two passes.
    public var framesAnalyzed = 0
    /// How far into the clip the frames reach that were read, all parts together.
    public var mediaTime = MediaDuration.zero
    /// Frames in all, where that is known.
    public var totalFrames: Int?
    /// Passes over the source: two where an output is coded in two.
    public var passCount = 1
    /// The outputs, in their order: what was coded or scaled so far, in whatever part of the clip.
    public var outputs: [TranscodeReport.Output]

    /// The share of the work that is done, 0 to 1, where the number of frames is known. A first pass counts as a fifth of
    /// the second, which is what it costs.
    public var fraction: Double? {
        guard let totalFrames, totalFrames > 0 else { return nil }
        let (weight, total) = (0.2, Double(totalFrames))
        guard passCount > 1 else { return min(1, Double(framesRead) / total) }
        return min(1, (Double(framesRead) + weight * Double(framesAnalyzed)) / (total * (1 + weight)))
    }
}

/// What the threads of a transcode share: the newest progress, and whether they should go on.
final class TranscodeMeter: Sendable {
    private let state: Monitor<State>
    private let isCancelledFlag = Atomic(false)
    private let lastPart = Atomic(Int.max)
    let stream: AsyncStream<TranscodeProgress>

    private struct State {
        var progress: TranscodeProgress
        /// Somebody tells the newest progress.
        var isTelling = false
        /// There is a newer one than that which is being told.
        var isNewer = false
    }

    private let continuation: AsyncStream<TranscodeProgress>.Continuation

    init(outputCount: Int, totalFrames: Int?, passCount: Int) {
        let outputs = [TranscodeReport.Output](repeating: .init(), count: outputCount)
        state = Monitor(
            State(progress: TranscodeProgress(totalFrames: totalFrames, passCount: passCount, outputs: outputs)))
        // The newest value alone: who reads slowly makes nothing grow.
        (stream, continuation) = AsyncStream.makeStream(bufferingPolicy: .bufferingNewest(1))
    }

    var newest: TranscodeProgress { state.withLock { $0.progress } }

    /// Changes the progress and tells it. One thread at a time tells: an older value must not come after a newer one, and
    /// whoever takes it may run here.
    func update(_ body: (inout TranscodeProgress) -> Void) {
        var isTeller = state.withLock { state in
            body(&state.progress)
            state.isNewer = true
            defer { state.isTelling = true }
            return !state.isTelling
        }
        while isTeller {
            let progress = state.withLock { state -> TranscodeProgress? in
                state.isTelling = state.isNewer
                state.isNewer = false
                return state.isTelling ? state.progress : nil
            }
            isTeller = progress != nil
            if let progress { continuation.yield(progress) }
        }
    }

    /// No progress will follow.
    func finish() { continuation.finish() }

    /// Has all threads stop as soon as they can.
    func cancel() { isCancelledFlag.store(true, ordering: .relaxed) }

    var isCancelled: Bool { isCancelledFlag.load(ordering: .relaxed) }

    /// Has the threads stop that work on parts behind that one: the source ended there.
    func end(withPart part: Int) {
        _ = lastPart.min(part, ordering: .relaxed)
    }

    /// Whether work on that part is of no use any more.
    func isOver(part: Int) -> Bool { isCancelled || part > lastPart.load(ordering: .relaxed) }
}
