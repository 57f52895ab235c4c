public import RillCodec
public import RillCore
import RillImage

/// Turns a source into files, offline: as fast as the cores go, no frame lost, the same bytes every time.
///
///     let file = try IVFWriter(path: "out.ivf", codec: .vp8, resolution: .vga)
///     let transcoder = Transcoder(
///         source: clip, outputs: [.encoded(.high(.vga, bitrate: .kilobits(800)), file)])
///     let report = try transcoder.run()
///
/// Reading and each output have a thread of their own, with a short queue between them: the slowest sets the pace, and
/// memory has a bound. The result does not depend on the threads.
public final class Transcoder {
    /// One thing that is made of the source.
    public enum Output {
        /// The layer's coded frames.
        case encoded(LayerSettings, any EncodedFrameSink)
        /// The layer's pictures, cut, scaled and thinned out, but never coded.
        case pictures(LayerSettings, any FrameSink)
        /// The source's pictures as they are, whatever their sizes, thinned out to the layer's rate.
        case wholePictures(LayerSettings, any FrameSink)

        /// What the pictures are to be.
        public var layer: LayerSettings {
            switch self {
            case .encoded(let layer, _), .pictures(let layer, _), .wholePictures(let layer, _): layer
            }
        }
    }

    private let source: any FrameSource
    private let outputs: [Output]

    /// Prepares the work; nothing is read yet.
    ///
    /// - Parameter outputs: one to three, with different RIDs.
    public init(source: any FrameSource, outputs: [Output]) {
        self.source = source
        self.outputs = outputs
    }

    /// Does the work. A transcoder runs once.
    ///
    /// A source that fails half-way ends the work there: what came before is written, and the report says what happened.
    ///
    /// - Parameter progress: is called on this thread after each frame that was read, with their number.
    /// - Throws: an error of an encoder or a sink.
    public func run(progress: (Int) -> Void = { _ in }) throws -> TranscodeReport {
        var plan = try SimulcastPlan(layers: outputs.map(\.layer))
        var changes = PictureChangeCounter()
        var workers: [OutputWorker] = []
        for output in outputs { workers.append(try OutputWorker(output)) }

        var report = TranscodeReport()
        var span = MediaSpan()
        reading: while true {
            do {
                switch try source.next() {
                case .frame(let frame):
                    report.framesRead += 1
                    span.add(frame.captureTime)
                    let content = plan.looksForChanges ? changes.add(frame) : nil
                    let tasks = plan.tasks(
                        at: frame.captureTime, content: content, isBeginning: frame.isBeginning)
                    for (index, worker) in workers.enumerated() {
                        guard let task = tasks[index] else { continue }
                        guard worker.append(frame, task) else { break reading }
                    }
                    progress(report.framesRead)
                case .noBuffer:
                    // Every buffer is in a queue or in work: wait for the outputs.
                    LiveClock.pause()
                case .pending: continue
                case .end: break reading
                }
            } catch {
                report.sourceFailure = error
                break
            }
        }
        // Every output is finished, whatever happened to the others; the first error is the one that is told.
        let results = workers.map { worker in Result { try worker.finish() } }
        report.outputs = try results.map { try $0.get() }
        report.duration = span.duration
        return report
    }
}

/// What a ``Transcoder`` has done.
public struct TranscodeReport: Sendable {
    /// Frames that the source gave.
    public var framesRead = 0
    /// Length of what was read.
    public var duration = MediaDuration.zero
    /// The outputs, in their order.
    public var outputs: [Output] = []
    /// Why the source ended before its end, if it did. What came before was processed.
    public var sourceFailure: (any Error)?

    /// What was written to one output.
    public struct Output: Sendable {
        /// Frames written.
        public var framesWritten = 0
        /// Key frames among them; pictures have none.
        public var keyFramesWritten = 0
        /// Bytes of coded frames; pictures have none.
        public var bytesEncoded = 0
    }
}
