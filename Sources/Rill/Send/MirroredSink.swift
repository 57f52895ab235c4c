public import RillCore
import RillImage

/// Shows another sink the mirror image of each picture: how people know themselves, for a preview.
///
///     let preview = MirroredSink(screen)
///     let pipeline = try SendPipeline(settings, taps: SendTaps(preprocessed: preview))
///
/// What is sent stays as it is. Takes I420 pictures; one copy of each, into a pool of its own.
public final class MirroredSink: FrameSink {
    /// Pictures that were not shown because the sink holds all that it may.
    public private(set) var picturesWithoutBuffer = 0
    private let sink: any FrameSink
    private var pictures: FittingPool

    /// A mirror before `sink`, which may hold `capacity` pictures at once.
    public init(_ sink: any FrameSink, capacity: Int = 3) {
        self.sink = sink
        self.pictures = FittingPool(capacity: capacity)
    }

    /// Shows the mirror image.
    ///
    /// - Throws: what the sink throws, or ``FrameError``.
    public func consume(_ frame: VideoFrame) throws {
        guard let mirrored = frame.mirrored(into: try pictures.pool(for: frame.resolution)) else {
            picturesWithoutBuffer += 1
            return
        }
        try sink.consume(mirrored)
    }

    /// No frame will follow: the sink writes what is still to be written.
    public func finish() throws { try sink.finish() }
}
