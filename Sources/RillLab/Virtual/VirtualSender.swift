public import Rill
import RillCodec
public import RillCore
import RillThreads

/// A source and a sending pipeline in virtual time. Encoding lasts as long as it is told; of frames that come while a layer
/// is busy it keeps the newest, as many as the live driver.
public final class VirtualSender<Packets: PacketSink>: TimedStage {
    private let pipeline: SendPipeline
    private let source: any FrameSource
    private let packets: Packets
    private let encodeTime: MediaDuration
    private var upcoming: VideoFrame?
    private var layers: [Layer]
    /// The source's last frame has been sent.
    public private(set) var isDone = false
    /// Frames that the source has given.
    public private(set) var framesCaptured = 0
    /// Why the source ended before its end, if it did.
    public private(set) var sourceFailure: (any Error)?
    private var span = MediaSpan()
    private var now = MediaTime.zero

    private struct Layer {
        var working: (job: LayerJob, end: MediaTime)?
        var waiting = NewestValues<LayerJob>(capacity: LayerJob.waitingLimit)

        /// Begins with the oldest job that waits, if nothing is in work.
        mutating func begin(at now: MediaTime, lasting duration: MediaDuration) {
            if working == nil, let job = waiting.take() { working = (job, now + duration) }
        }
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
        fetch()
    }

    /// Frames that gave way to a newer one, for each layer.
    public var framesDropped: [Int] { layers.map(\.waiting.dropped) }

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
            guard let working = layers[index].working, working.end <= now else { continue }
            var job = working.job
            job.frame.stamps[.scaled] = working.end - encodeTime
            try pipeline.carryOut(job, layer: index, to: packets) {
                now
            } duration: {
                encodeTime
            }
            layers[index].working = nil
            layers[index].begin(at: now, lasting: encodeTime)
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
        try pipeline.admit(frame) {
            now
        } put: { index, job in
            let dropped = layers[index].waiting.put(job) { $0.merging($1) }
            layers[index].begin(at: now, lasting: encodeTime)
            return dropped
        }
    }

    private func fetch() {
        do {
            switch try source.next() {
            case .frame(let frame): upcoming = frame
            case .end: upcoming = nil
            case .noBuffer:
                // The layers hold three frames each at the most; whoever keeps the others will not let go in virtual time.
                sourceFailure = VirtualTimeError.sourceHasNoBuffer(framesCaptured: framesCaptured)
            case .pending:
                sourceFailure = VirtualTimeError.sourceIsLive
            }
        } catch {
            // What came before the damage is still sent.
            sourceFailure = error
        }
    }
}
