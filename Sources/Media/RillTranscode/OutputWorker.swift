import RillCodec
import RillCore
import RillThreads

/// Processes one output of a part on its own thread.
///
/// Threads: `rill-` followed by the output's name. The sink is called on it, and no other thread uses the sink until
/// ``finish()``.
final class OutputWorker {
    private let queue: BoundedQueue<Job>
    private let thread: NamedThread
    private let result = Monitor(Outcome())

    private struct Job: Sendable {
        var frame: VideoFrame
        var task: LayerTask
    }

    private struct Outcome: ~Copyable {
        var statistics: FirstPassStatistics?
        var failure: (any Error)?
    }

    /// The maximum number of frames that wait for an output. The source's pool must hold two more frames per output.
    static let queueCapacity = 2

    /// The treatment of the frames.
    enum Task {
        case analysis(LayerAnalyzer)
        case encoding(LayerEncoder, PartSink)
        case scaling(LayerScaler, PartSink)
        case passing(PartSink)
    }

    /// Starts the thread.
    ///
    /// - Throws: ``ThreadError``.
    init(
        _ rid: StreamLayer.RID, _ task: Task, part: Int, _ index: Int, _ meter: TranscodeMeter
    ) throws(ThreadError) {
        let queue = BoundedQueue<Job>(capacity: Self.queueCapacity)
        let result = self.result
        self.queue = queue
        // Transferred to the thread here; no other code uses it again.
        nonisolated(unsafe) let handedOver = task
        self.thread = try NamedThread("rill-\(rid)") {
            let task = unsafe handedOver
            do {
                while let job = queue.next() {
                    guard !meter.isOver(part: part) else { throw CancellationError() }
                    try Self.work(on: job, task, index, meter)
                }
                let statistics = try Self.finish(task, index, meter)
                result.withLock { $0.statistics = statistics }
            } catch {
                result.withLock { $0.failure = error }
                // The producer must not wait for a consumer that is gone.
                queue.close()
            }
        }
    }

    deinit {
        // Keeps the thread from waiting forever if another output could not be created.
        queue.close()
    }

    /// Appends a frame, waiting for room. Returns `false` if the output has failed.
    func append(_ frame: VideoFrame, _ task: LayerTask) -> Bool {
        queue.append(Job(frame: frame, task: task))
    }

    /// Waits until everything is written. Returns the statistics of a first pass.
    func finish() throws -> FirstPassStatistics? {
        queue.close()
        thread.join()
        return try result.withLock { outcome in
            if let failure = outcome.failure { throw failure }
            return outcome.statistics
        }
    }

    private static func work(on job: Job, _ task: Task, _ index: Int, _ meter: TranscodeMeter) throws {
        switch task {
        case .analysis(let analyzer): try analyzer.add(job.frame)
        case .encoding(let encoder, let sink):
            try encoder.encode(job.frame, job.task) { coded, payload in
                try sink.consume(coded, payload: payload)
                meter.update { $0.outputs[index].count(coded) }
            }
        case .scaling(let scaler, let sink):
            var picture = scaler.fitted(job.frame)
            while picture == nil {
                // The sink holds all buffers: wait until it releases one.
                LiveClock.pause()
                picture = scaler.fitted(job.frame)
            }
            if let picture { try sink.consume(picture) }
            meter.update { $0.outputs[index].framesWritten += 1 }
        case .passing(let sink):
            try sink.consume(job.frame)
            meter.update { $0.outputs[index].framesWritten += 1 }
        }
    }

    private static func finish(
        _ task: Task, _ index: Int, _ meter: TranscodeMeter
    ) throws -> FirstPassStatistics? {
        switch task {
        case .analysis(let analyzer): return try analyzer.finish()
        case .encoding(let encoder, let sink):
            try encoder.finish { coded, payload in
                try sink.consume(coded, payload: payload)
                meter.update { $0.outputs[index].count(coded) }
            }
            try sink.finish()
        case .scaling(_, let sink), .passing(let sink): try sink.finish()
        }
        return nil
    }
}
