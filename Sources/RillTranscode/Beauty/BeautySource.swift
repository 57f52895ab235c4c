public import RillBeauty
public import RillCore
import RillImage

/// A source whose pictures are made beautiful: offline, for files.
///
///     let source = BeautySource(clip, options: .natural)
///
/// One owner, one thread at a time.
public final class BeautySource: FrameSource {
    private let source: any FrameSource
    private let options: BeautyOptions
    private var stage: BeautyStage
    /// A picture that found no buffer.
    private var waiting: VideoFrame?

    /// The same pictures as `source` gives, with `options`.
    ///
    /// - Parameter capacity: how many pictures may be in use downstream at once.
    public init(_ source: any FrameSource, options: BeautyOptions, capacity: Int = 8) {
        self.source = I420Source(source, capacity: capacity)
        self.options = options
        stage = BeautyStage(options, capacity: capacity)
    }

    /// What the wrapped source says.
    public var format: SourceFormat { source.format }

    /// The next picture. One that finds no buffer is kept, and given by a later call.
    public func next() throws -> SourceOutput {
        if waiting == nil {
            let output = try source.next()
            guard case .frame(let frame) = output else { return output }
            waiting = frame
        }
        guard let frame = waiting, let result = try stage.apply(options, to: frame, clock: { .zero }) else {
            return .noBuffer
        }
        waiting = nil
        return .frame(result)
    }
}
