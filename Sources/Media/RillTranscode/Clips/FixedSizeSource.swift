import RillCodec
public import RillCore
import RillImage

/// A source whose pictures all have the size of the first one. Pictures of another size are scaled to it whole,
/// between black bars if their shape differs. So a clip looks in a file of one size as it would in a window of that
/// size.
///
/// Pictures that already have the size pass unchanged. One owner, one thread at a time.
public final class FixedSizeSource: FrameSource {
    private let source: any FrameSource
    private let scaler: LayerScaler
    private var pending = PendingFrame()
    /// The number of pictures that had another size.
    public private(set) var framesScaled = 0

    /// Creates a source with pictures of one size.
    ///
    /// - Parameters:
    ///   - source: the pictures to scale.
    ///   - resolution: the size; `nil` for the size in the source's format. Set it for a part of a clip whose size
    ///     changes.
    ///   - capacity: how many scaled pictures may be in use downstream at once.
    /// - Throws: ``/RillCore/FrameError`` if there is no memory.
    public init(
        _ source: any FrameSource, resolution: Resolution? = nil, capacity: Int = 8
    ) throws(FrameError) {
        self.source = source
        self.scaler = try LayerScaler(
            resolution ?? source.format.resolution, aspect: .letterbox, capacity: capacity)
    }

    /// The format of the wrapped source, with the fixed size.
    public var format: SourceFormat {
        var format = source.format
        format.resolution = scaler.resolution
        return format
    }

    /// Returns the next picture. If there is no free buffer, it is kept for a later call.
    public func next() throws -> SourceOutput {
        try pending.next(of: source) { frame in
            guard frame.resolution != scaler.resolution else { return frame }
            let scaled = scaler.fitted(frame)
            framesScaled += scaled == nil ? 0 : 1
            return scaled
        }
    }
}
