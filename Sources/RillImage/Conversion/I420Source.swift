public import RillCore

/// A source whose pictures are brought to the pipeline's own format: I420 in limited range. Those that are that already
/// are handed on as they are, so whoever takes pictures of any source puts one of these before it.
///
/// One owner, one thread at a time.
public final class I420Source: FrameSource {
    private let source: any FrameSource
    private let capacity: Int
    private var planar: FittingPool
    private var colors: ColorConverter
    /// A picture that found no buffer to be converted into.
    private var waiting: VideoFrame?

    /// The same pictures as `source` gives, whatever their sizes and ranges.
    ///
    /// - Parameter capacity: how many converted pictures may be in use downstream at once.
    public init(_ source: any FrameSource, capacity: Int = 8) {
        self.source = source
        self.capacity = capacity
        planar = FittingPool(capacity: capacity)
        colors = ColorConverter(capacity: capacity)
    }

    /// Pictures that were brought from full range to limited.
    public var framesConverted: Int { colors.framesConverted }

    /// What the wrapped source says: size, rate and count stay as they are.
    public var format: SourceFormat { source.format }

    /// The next picture. One that finds no buffer is kept, and given by a later call.
    ///
    /// - Throws: what the source throws, or ``FrameError``.
    public func next() throws -> SourceOutput {
        if waiting == nil {
            switch try source.next() {
            case .frame(let frame): waiting = frame
            case .noBuffer: return .noBuffer
            case .pending: return .pending
            case .end: return .end
            }
        }
        guard let frame = waiting, let converted = try convert(frame) else { return .noBuffer }
        waiting = nil
        return .frame(converted)
    }

    private func convert(_ frame: VideoFrame) throws(FrameError) -> VideoFrame? {
        guard frame.format != .i420 else { return try colors.convert(frame) }
        let planar = frame.convertedToI420(into: try planar.pool(for: frame.resolution))
        return try planar.flatMap { (frame) throws(FrameError) in try colors.convert(frame) }
    }
}
