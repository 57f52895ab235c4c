public import RillCore
import RillThreads

extension SendPipeline {
    /// Sends a whole source as fast as the machine allows, and waits for its end: reading on a thread of its own, and each
    /// layer but the largest, which this thread encodes.
    ///
    /// Nothing is left out, and the packets of each layer are those that ``send(_:at:to:)`` makes of the same frames at the
    /// times they were captured; what differs is how the layers' packets and reports are mixed. Between two threads one frame
    /// waits at most: three buffers of the source are enough to keep two layers busy.
    ///
    /// Threads: `rill-read`, and `rill-` with the layer's name.
    ///
    /// - Parameter packets: where packets go; called from each layer's thread.
    /// - Returns: how many frames the source gave.
    /// - Throws: what the source throws, once all that came before is sent; else the first error of an encoder or a tap, which
    ///   ends everything.
    @discardableResult
    public func send(
        allOf source: sending any FrameSource, to packets: any PacketSink & Sendable
    ) throws -> Int {
        let run = WholeSourceRun(self, packets)
        // The source is handed over to the reading thread, which alone uses it.
        let handedOver = Monitor(Optional(source))
        let threads =
            [NamedThread("rill-read") { if let source = handedOver.withLock({ $0.take() }) { run.read(source) } }]
            + layers.indices.filter { $0 != run.largest }.map { index in
                NamedThread("rill-\(settings.layers[index].rid)") { run.encode(layer: index) }
            }
        let count = run.encodeLargest()
        for thread in threads { thread.join() }
        if let failure = run.failure { throw failure }
        return count
    }
}

/// A source on its way through a pipeline, between the threads that work on it.
private final class WholeSourceRun: Sendable {
    let largest: Int
    private let pipeline: SendPipeline
    private let packets: any PacketSink & Sendable
    private let frames = BoundedQueue<VideoFrame>(capacity: 1)
    private let jobs: [BoundedQueue<LayerJob>]
    private let firstFailure = Monitor<(any Error)?>(nil)

    init(_ pipeline: SendPipeline, _ packets: any PacketSink & Sendable) {
        self.pipeline = pipeline
        self.packets = packets
        jobs = pipeline.layers.map { _ in BoundedQueue(capacity: 1) }
        largest = pipeline.settings.indexOfLargestLayer
    }

    var failure: (any Error)? { firstFailure.withLock { $0 } }

    func read(_ source: any FrameSource) {
        defer { frames.close() }
        do {
            while true {
                switch try source.next() {
                case .frame(let frame): guard frames.append(frame) else { return }
                // Everything is in use downstream, or not there yet: give it a moment.
                case .noBuffer, .pending: LiveClock.pause()
                case .end: return
                }
            }
        } catch {
            note(error)
        }
    }

    func encode(layer index: Int) {
        do {
            while let job = jobs[index].next() { try encode(job, layer: index) }
        } catch {
            abandon(error)
        }
    }

    /// Takes the frames in, has the other layers told, and encodes the largest; how many frames there were.
    func encodeLargest() -> Int {
        var count = 0
        do {
            while let captured = frames.next() {
                let (frame, tasks) = try pipeline.admit(captured) { captured.captureTime }
                for index in jobs.indices where index != largest {
                    guard let task = tasks[index] else { continue }
                    // A queue that is closed has failed, and so has this: the next frame does not come.
                    _ = jobs[index].append(LayerJob(frame: frame, task: task))
                }
                if let task = tasks[largest] { try encode(LayerJob(frame: frame, task: task), layer: largest) }
                pipeline.sendReports(at: captured.captureTime, to: packets)
                count += 1
            }
        } catch {
            abandon(error)
        }
        for queue in jobs { queue.close() }
        return count
    }

    private func encode(_ job: LayerJob, layer index: Int) throws {
        try pipeline.encode(job.frame, job.task, layer: index, to: packets) { job.frame.captureTime }
    }

    private func note(_ error: any Error) { firstFailure.withLock { $0 = $0 ?? error } }

    /// Ends everything: frames that wait are not encoded any more by the others than those in their queues.
    private func abandon(_ error: any Error) {
        note(error)
        frames.close()
        for queue in jobs { queue.close() }
    }
}
