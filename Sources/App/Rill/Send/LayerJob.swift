import RillCodec
package import RillCore
package import RillRTP

/// A frame, and what one layer does with it.
package struct LayerJob: Sendable {
    package var frame: VideoFrame
    package var task: LayerTask

    /// The most jobs that wait for a layer's encoder, besides the current one: a single frame that takes three times
    /// its share drops none.
    package static let waitingLimit = 2

    /// Returns this job with the encoder requests of a job that was dropped for it.
    package func merging(_ dropped: LayerJob) -> LayerJob {
        LayerJob(frame: frame, task: task.merging(dropped.task))
    }
}

// What every driver does in whose time encoding takes time, real or virtual.

extension SendPipeline {
    /// Admits a frame and gives each layer that needs it its job, in the order of the layers.
    ///
    /// - Parameters:
    ///   - frame: the frame.
    ///   - clock: returns the current time.
    ///   - put: passes a layer's job to its encoder; returns the job that was dropped for it, if any.
    package func admit(_ frame: VideoFrame, clock: () -> MediaTime, put: (Int, LayerJob) -> LayerJob?) throws {
        let (frame, tasks) = try admit(frame, clock: clock)
        for index in layers.indices {
            guard let task = tasks[index] else { continue }
            if let dropped = put(index, LayerJob(frame: frame, task: task)) {
                try drop(dropped.task, layer: index, at: clock())
            }
        }
    }

    /// Encodes a job's frame, hands it on, and adapts the layer if necessary. An outdated job is left out.
    ///
    /// - Parameters:
    ///   - job: the frame and the layer's task.
    ///   - index: the layer.
    ///   - clock: returns the current time.
    ///   - duration: returns how long encoding took; called afterwards.
    ///   - send: sends the encoded frame, and returns its RTP timestamp; by default it only goes to the outputs.
    package func carryOut(
        _ job: LayerJob, layer index: Int, clock: () -> MediaTime, duration: () -> MediaDuration,
        send: (EncodedFrame, Span<UInt8>) -> RTPTimestamp? = { _, _ in nil }
    ) throws {
        guard try !discardIfOutdated(job.task, layer: index) else { return }
        let outcome = try encode(job.frame, job.task, layer: index, clock: clock, send: send)
        try note(outcome, after: duration(), layer: index, at: clock())
    }
}
