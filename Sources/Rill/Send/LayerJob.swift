import RillCodec
import RillCore

/// A frame, and what one layer is to do with it.
package struct LayerJob: Sendable {
    package var frame: VideoFrame
    package var task: LayerTask

    /// Jobs that wait for a layer's encoder at the most, beside the one in work: a single frame that takes three times its
    /// time loses none.
    package static let waitingLimit = 2

    /// The same, with what was asked of the encoder with a job that gave way to it.
    package func merging(_ dropped: LayerJob) -> LayerJob {
        LayerJob(frame: frame, task: task.merging(dropped.task))
    }
}

// What every driver in whose time encoding lasts does, be that time real or virtual.

extension SendPipeline {
    /// Takes a frame in and gives each layer that wants it its job, in the order of the layers.
    ///
    /// - Parameter put: puts the job of a layer where its encoder finds it; gives the one that had to give way.
    package func admit(_ frame: VideoFrame, clock: () -> MediaTime, put: (Int, LayerJob) -> LayerJob?) throws {
        let (frame, tasks) = try admit(frame, clock: clock)
        for index in layers.indices {
            guard let task = tasks[index] else { continue }
            if let dropped = put(index, LayerJob(frame: frame, task: task)) {
                try drop(dropped.task, layer: index, at: clock())
            }
        }
    }

    /// Encodes a job's frame, sends its packets, and adapts the layer where that is called for.
    ///
    /// - Parameter duration: how long it took, asked when it is done.
    package func carryOut(
        _ job: LayerJob, layer index: Int, to packets: some PacketSink, clock: () -> MediaTime,
        duration: () -> MediaDuration
    ) throws {
        let outcome = try encode(job.frame, job.task, layer: index, to: packets, clock: clock)
        try note(outcome, after: duration(), layer: index, at: clock())
    }
}
