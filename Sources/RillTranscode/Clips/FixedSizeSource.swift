import RillCodec
public import RillCore
import RillImage

/// A source whose pictures all have the size of its first one: those of another are scaled to it, whole, between black
/// bars where their shape is another. So a clip looks in a file of one size as it would in a window of that size.
///
/// Pictures that have the size already are passed on as they are. One owner, one thread at a time.
public final class FixedSizeSource: FrameSource {
    private let source: any FrameSource
    private let scaler: LayerScaler
    /// A picture that found no buffer to be scaled into.
    private var waiting: VideoFrame?
    /// Pictures that had another size.
    public private(set) var framesScaled = 0

    /// The same pictures as `source` gives, in the size that it says, or in another.
    ///
    /// - Parameters:
    ///   - resolution: the size, where it is not that of the source's first picture: of a part of a clip whose pictures
    ///     change their size.
    ///   - capacity: how many scaled pictures may be in use downstream at once.
    public init(
        _ source: any FrameSource, resolution: Resolution? = nil, capacity: Int = 8
    ) throws(FrameError) {
        self.source = source
        self.scaler = try LayerScaler(
            resolution ?? source.format.resolution, aspect: .letterbox, capacity: capacity)
    }

    /// What the wrapped source says, with the steady size.
    public var format: SourceFormat {
        var format = source.format
        format.resolution = scaler.resolution
        return format
    }

    /// The next picture. One that finds no buffer is kept, and given by a later call.
    public func next() throws -> SourceOutput {
        if waiting == nil {
            switch try source.next() {
            case .frame(let frame) where frame.resolution == scaler.resolution: return .frame(frame)
            case .frame(let frame): waiting = frame
            case .noBuffer: return .noBuffer
            case .pending: return .pending
            case .end: return .end
            }
        }
        guard let frame = waiting.flatMap({ scaler.fitted($0) }) else { return .noBuffer }
        waiting = nil
        framesScaled += 1
        return .frame(frame)
    }
}
