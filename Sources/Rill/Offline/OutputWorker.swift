import RillCodec
import RillCore

/// One output of a transcoder at work on a thread of its own.
///
/// Threads: `rill-` with the output's name. The sink is called on it, and nobody else touches it until ``finish()``.
final class OutputWorker {
    private let queue: BoundedQueue<Job>
    private let thread: NamedThread
    private let result = Monitor(Progress())

    private struct Job: Sendable {
        var frame: VideoFrame
        var task: LayerTask
    }

    private struct Progress: ~Copyable {
        var written = TranscodeReport.Output()
        var failure: (any Error)?
    }

    /// Frames that wait for an output at the most; the source's pool has to hold two more for each output.
    static let queueCapacity = 2

    /// Starts the thread.
    init(_ output: Transcoder.Output) throws(CodecError) {
        let encoder = try LayerEncoder(output.layer)
        let queue = BoundedQueue<Job>(capacity: Self.queueCapacity)
        let result = self.result
        self.queue = queue
        // Handed over to the thread here: this object only sees it again when the thread is done.
        nonisolated(unsafe) let work = (output, encoder)
        self.thread = NamedThread("rill-\(output.layer.rid)") {
            let (output, encoder) = unsafe work
            do {
                while let job = queue.next() {
                    let written = try Self.write(job, output, encoder)
                    result.withLock { $0.written.add(written) }
                }
                try Self.finish(output)
            } catch {
                result.withLock { $0.failure = error }
                // The producer must not wait for a consumer that is gone.
                queue.close()
            }
        }
    }

    deinit {
        // The thread does not wait for ever where another output could not be made.
        queue.close()
    }

    /// Hands a frame over, waiting for room. `false`: the output has failed.
    func append(_ frame: VideoFrame, _ task: LayerTask) -> Bool {
        queue.append(Job(frame: frame, task: task))
    }

    /// Waits until all is written.
    func finish() throws -> TranscodeReport.Output {
        queue.close()
        thread.join()
        return try result.withLock { progress in
            if let failure = progress.failure { throw failure }
            return progress.written
        }
    }

    private static func write(
        _ job: Job, _ output: Transcoder.Output, _ encoder: LayerEncoder
    ) throws -> TranscodeReport.Output {
        var written = TranscodeReport.Output()
        switch output {
        case .encoded(_, let sink):
            try encoder.encode(job.frame, job.task) { coded, payload in
                try sink.consume(coded, payload: payload)
                written = TranscodeReport.Output(
                    framesWritten: 1, keyFramesWritten: coded.isKey ? 1 : 0, bytesEncoded: payload.count)
            }
        case .pictures(_, let sink):
            try sink.consume(encoder.fitted(job.frame, to: job.task.crop))
            written.framesWritten = 1
        }
        return written
    }

    private static func finish(_ output: Transcoder.Output) throws {
        switch output {
        case .encoded(_, let sink): try sink.finish()
        case .pictures(_, let sink): try sink.finish()
        }
    }
}

extension TranscodeReport.Output {
    fileprivate mutating func add(_ other: Self) {
        framesWritten += other.framesWritten
        keyFramesWritten += other.keyFramesWritten
        bytesEncoded += other.bytesEncoded
    }
}
