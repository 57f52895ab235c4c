public import RillCore
import RillImage

/// A sink that mirrors each picture for another sink: how people see themselves in a preview.
///
/// ```swift
/// let preview = MirroredSink(screen)
/// let pipeline = try SendPipeline(settings, taps: SendTaps(preprocessed: preview))
/// ```
///
/// What is sent is not mirrored. It takes I420 pictures, and copies each once into its own pool.
public final class MirroredSink: FrameSink {
    /// Pictures that were not shown because the sink holds all buffers.
    public private(set) var picturesWithoutBuffer = 0
    private let sink: any FrameSink
    private var pictures: ResizingPool

    /// Creates a mirror before `sink`, which may hold up to `capacity` pictures at once.
    public init(_ sink: any FrameSink, capacity: Int = 3) {
        self.sink = sink
        self.pictures = ResizingPool(capacity: capacity)
    }

    /// Shows the mirror image of a picture.
    ///
    /// - Parameter frame: the picture, I420.
    /// - Throws: what the sink throws, or ``/RillCore/FrameError``.
    public func consume(_ frame: VideoFrame) throws {
        guard let mirrored = frame.mirrored(into: try pictures.pool(for: frame.resolution)) else {
            picturesWithoutBuffer += 1
            return
        }
        try sink.consume(mirrored)
    }

    /// Finishes the sink: no frame follows, and it writes what is pending.
    public func finish() throws { try sink.finish() }
}
