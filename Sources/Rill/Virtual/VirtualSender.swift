import RillCodec
public import RillCore

/// A source and a sending pipeline in virtual time. Encoding lasts as long as it is told; a layer that is still busy
/// keeps only the newest frame, as in the live driver.
public final class VirtualSender<Packets: PacketSink>: TimedStage {
    private let pipeline: SendPipeline
    private let source: any FrameSource
    private let packets: Packets
    private let encodeTime: MediaDuration
    private var upcoming: VideoFrame?
    private var layers: [Layer]
    /// The source's last frame has been sent.
    public private(set) var isDone = false
    /// Frames that gave way to a newer one, for each layer.
    public private(set) var framesDropped: [Int]
    /// Frames that the source has given.
    public private(set) var framesCaptured = 0
    /// Why the source ended before its end, if it did.
    public private(set) var sourceFailure: (any Error)?
    private var span = MediaSpan()
    private var now = MediaTime.zero

    private struct Job {
        var frame: VideoFrame
        var task: LayerTask
    }

    private struct Layer {
        var working: (job: Job, end: MediaTime)?
        var waiting: Job?
    }

    /// A sender that begins with the source's first frame.
    ///
    /// - Parameter encodeTime: how long each layer takes for a frame.
    public init(_ pipeline: SendPipeline, source: any FrameSource, packets: Packets, encodeTime: MediaDuration) {
        self.pipeline = pipeline
        self.source = source
        self.packets = packets
        self.encodeTime = encodeTime
        self.layers = pipeline.layers.map { _ in Layer() }
        self.framesDropped = pipeline.layers.map { _ in 0 }
        fetch()
    }

    /// The length of what the source has given.
    public var duration: MediaDuration { span.duration }

    /// When the next frame, coded frame or report is due.
    public var wakeTime: MediaTime {
        let capture = upcoming.map { max($0.captureTime, .zero) } ?? .distantFuture
        let report = isDone ? .distantFuture : pipeline.nextReportTime(at: now)
        // Loops, not `reduce`: unspecialised it allocates for each element, and this is asked many times a frame.
        var earliest = min(capture, report)
        for index in layers.indices {
            if let end = layers[index].working?.end { earliest = min(earliest, end) }
        }
        return earliest
    }

    /// Sends what is due.
    public func wake(at now: MediaTime) throws {
        self.now = now
        for index in layers.indices {
            guard let (job, end) = layers[index].working, end <= now else { continue }
            var frame = job.frame
            frame.stamps[.scaled] = end - encodeTime
            let outcome = try pipeline.encode(frame, job.task, layer: index, to: packets) { now }
            try pipeline.note(outcome, after: encodeTime, layer: index, at: now)
            layers[index].working = layers[index].waiting.map { ($0, now + encodeTime) }
            layers[index].waiting = nil
        }
        if let frame = upcoming, frame.captureTime <= now {
            upcoming = nil
            try capture(frame, at: now)
            fetch()
        }
        pipeline.sendReports(at: now, to: packets)
        isDone = upcoming == nil && layers.allSatisfy { $0.working == nil }
    }

    private func capture(_ frame: VideoFrame, at now: MediaTime) throws {
        framesCaptured += 1
        span.add(frame.captureTime)
        let (frame, tasks) = try pipeline.admit(frame) { now }
        for index in layers.indices {
            guard let task = tasks[index] else { continue }
            var job = Job(frame: frame, task: task)
            guard layers[index].working != nil else {
                layers[index].working = (job, now + encodeTime)
                continue
            }
            if let dropped = layers[index].waiting {
                framesDropped[index] += 1
                try pipeline.drop(dropped.task, layer: index, at: now)
                job.task = job.task.absorbing(dropped.task)
            }
            layers[index].waiting = job
        }
    }

    private func fetch() {
        do {
            switch try source.next() {
            case .frame(let frame): upcoming = frame
            case .end: upcoming = nil
            case .noBuffer:
                // The layers hold two frames each at the most; whoever keeps the others will not let go in virtual time.
                sourceFailure = PipelineError.sourceHasNoBuffer(framesCaptured: framesCaptured)
            case .pending:
                sourceFailure = PipelineError.sourceIsLive
            }
        } catch {
            // What came before the damage is still sent.
            sourceFailure = error
        }
    }
}
