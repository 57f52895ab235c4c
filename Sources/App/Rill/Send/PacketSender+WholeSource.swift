public import RillCore
import RillThreads

extension PacketSender {
    /// Sends a whole source as fast as the machine allows, and waits for its end. One thread reads, this thread
    /// encodes the largest layer, and each other layer has its own thread.
    ///
    /// No frame is dropped. The packets of each layer equal those of ``send(_:at:to:)`` for the same frames at their
    /// capture times; only the interleaving of the layers' packets and reports differs. At most one frame waits
    /// between two threads, so three buffers of the source keep two layers busy.
    ///
    /// Threads: `rill-read`, and `rill-` with the layer's name.
    ///
    /// - Parameters:
    ///   - source: the frames to send; it belongs to the reading thread from now on.
    ///   - packets: receives the packets; called from each layer's thread.
    /// - Returns: the number of frames that the source delivered.
    /// - Throws: what the source throws, after all earlier frames are sent; otherwise the first error of an encoder
    ///   or a tap, which ends everything; ``/RillThreads/ThreadError``.
    @discardableResult
    public func send(
        allOf source: sending any FrameSource, to packets: any PacketSink & Sendable
    ) throws -> Int {
        let run = WholeSourceRun(self, packets)
        // The source is handed over to the reading thread, which alone uses it.
        let handedOver = Monitor(Optional(source))
        var threads: [NamedThread] = []
        do throws(ThreadError) {
            for index in pipeline.layers.indices where index != run.largest {
                let name = "rill-\(pipeline.settings.layers[index].rid)"
                threads.append(try NamedThread(name) { run.encode(layer: index) })
            }
            let read = { @Sendable in if let source = handedOver.withLock({ $0.take() }) { run.read(source) } }
            threads.append(try NamedThread("rill-read", read))
        } catch {
            run.abandon(error)
        }
        let count = run.encodeLargest()
        for thread in threads { thread.join() }
        if let failure = run.failure { throw failure }
        return count
    }
}

/// One run of a source through a pipeline, shared by the threads that work on it.
private final class WholeSourceRun: Sendable {
    let largest: Int
    private let sender: PacketSender
    private let packets: any PacketSink & Sendable
    private let frames = BoundedQueue<VideoFrame>(capacity: 1)
    private let jobs: [BoundedQueue<LayerJob>]
    private let firstFailure = Monitor<(any Error)?>(nil)

    init(_ sender: PacketSender, _ packets: any PacketSink & Sendable) {
        self.sender = sender
        self.packets = packets
        jobs = sender.pipeline.layers.map { _ in BoundedQueue(capacity: 1) }
        largest = sender.pipeline.settings.indexOfLargestLayer
    }

    var failure: (any Error)? { firstFailure.withLock { $0 } }

    func read(_ source: any FrameSource) {
        defer { frames.close() }
        do {
            while true {
                switch try source.next() {
                case .frame(let frame): guard frames.append(frame) else { return }
                // All buffers are in use downstream, or no frame is ready: give it a moment.
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

    /// Admits the frames, passes their jobs to the other layers, and encodes the largest; returns the number of
    /// frames.
    func encodeLargest() -> Int {
        var count = 0
        do {
            while let captured = frames.next() {
                let (frame, tasks) = try sender.pipeline.admit(captured) { captured.captureTime }
                for index in jobs.indices where index != largest {
                    guard let task = tasks[index] else { continue }
                    // A closed queue means that an encoder failed, and so has this run: there is no next frame.
                    _ = jobs[index].append(LayerJob(frame: frame, task: task))
                }
                if let task = tasks[largest] { try encode(LayerJob(frame: frame, task: task), layer: largest) }
                sender.sendReports(at: captured.captureTime, to: packets)
                count += 1
            }
        } catch {
            abandon(error)
        }
        for queue in jobs { queue.close() }
        return count
    }

    private func encode(_ job: LayerJob, layer index: Int) throws { try encode(job, layer: index, to: packets) }

    private func encode(_ job: LayerJob, layer index: Int, to packets: some PacketSink) throws {
        let time = job.frame.captureTime
        try sender.pipeline.encode(job.frame, job.task, layer: index) {
            time
        } send: {
            sender.send($0, $1, of: index, to: packets, at: time)
        }
    }

    private func note(_ error: any Error) { firstFailure.withLock { $0 = $0 ?? error } }

    /// Ends everything: the other layers encode only what is already in their queues.
    func abandon(_ error: any Error) {
        note(error)
        frames.close()
        for queue in jobs { queue.close() }
    }
}
