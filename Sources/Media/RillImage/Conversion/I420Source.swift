public import RillCore

/// A source that converts its pictures to the pipeline's own format: I420 in limited range. Other pictures pass
/// unchanged, so code that accepts any source wraps it in one of these.
///
/// One owner, one thread at a time.
public final class I420Source: FrameSource {
    private let source: any FrameSource
    private var planar: ResizingPool
    private var colors: ColorConverter
    private var pending = PendingFrame()

    /// Creates a source that converts the pictures of another one, of any size and range.
    ///
    /// - Parameters:
    ///   - source: the pictures to convert.
    ///   - capacity: how many converted pictures may be in use downstream at once.
    public init(_ source: any FrameSource, capacity: Int = 8) {
        self.source = source
        planar = ResizingPool(capacity: capacity)
        colors = ColorConverter(capacity: capacity)
    }

    /// The number of pictures converted from full to limited range.
    public var framesConverted: Int { colors.framesConverted }

    /// The format of the wrapped source.
    public var format: SourceFormat { source.format }

    /// Returns the next picture. If there is no free buffer, it is kept for a later call.
    ///
    /// - Throws: an error of the source, or ``/RillCore/FrameError``.
    public func next() throws -> SourceOutput {
        try pending.next(of: source, convert)
    }

    private func convert(_ frame: VideoFrame) throws(FrameError) -> VideoFrame? {
        guard frame.format != .i420 else { return try colors.convert(frame) }
        let planar = frame.convertedToI420(into: try planar.pool(for: frame.resolution))
        return try planar.flatMap { (frame) throws(FrameError) in try colors.convert(frame) }
    }
}
