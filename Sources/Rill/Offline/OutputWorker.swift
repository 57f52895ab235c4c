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

    /// Pictures that a sink may keep before the work waits for it.
    private static let keptPictures = 4

    /// What makes the output of a frame.
    private enum Maker {
        case encoder(LayerEncoder, any EncodedFrameSink)
        case scaler(LayerScaler, any FrameSink)
        case passage(any FrameSink)
    }

    /// Starts the thread.
    init(_ output: Transcoder.Output) throws {
        let maker: Maker =
            switch output {
            case .encoded(let layer, let sink): .encoder(try LayerEncoder(layer), sink)
            case .pictures(let layer, let sink):
                .scaler(try LayerScaler(layer.resolution, aspect: layer.aspect, capacity: Self.keptPictures), sink)
            case .wholePictures(_, let sink): .passage(sink)
            }
        let queue = BoundedQueue<Job>(capacity: Self.queueCapacity)
        let result = self.result
        self.queue = queue
        // Handed over to the thread here: this object only sees it again when the thread is done.
        nonisolated(unsafe) let work = maker
        self.thread = NamedThread("rill-\(output.layer.rid)") {
            let maker = unsafe work
            do {
                while let job = queue.next() {
                    let written = try Self.write(job, maker)
                    result.withLock { $0.written.add(written) }
                }
                try Self.finish(maker)
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

    private static func write(_ job: Job, _ maker: Maker) throws -> TranscodeReport.Output {
        var written = TranscodeReport.Output()
        switch maker {
        case .encoder(let encoder, let sink):
            try encoder.encode(job.frame, job.task) { coded, payload in
                try sink.consume(coded, payload: payload)
                written = TranscodeReport.Output(
                    framesWritten: 1, keyFramesWritten: coded.isKey ? 1 : 0, bytesEncoded: payload.count)
            }
        case .scaler(let scaler, let sink):
            var picture = scaler.fitted(job.frame)
            while picture == nil {
                // The sink keeps what it was given: wait until it lets go.
                LiveClock.pause()
                picture = scaler.fitted(job.frame)
            }
            if let picture { try sink.consume(picture) }
            written.framesWritten = 1
        case .passage(let sink):
            try sink.consume(job.frame)
            written.framesWritten = 1
        }
        return written
    }

    private static func finish(_ maker: Maker) throws {
        switch maker {
        case .encoder(_, let sink): try sink.finish()
        case .scaler(_, let sink), .passage(let sink): try sink.finish()
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
