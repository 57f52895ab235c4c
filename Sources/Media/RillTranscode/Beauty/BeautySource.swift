public import RillBeauty
public import RillCore
import RillImage

/// A source that applies the beauty filter to its pictures: offline, for files.
///
/// It looks for faces in the first picture, and in the first after a gap, before it filters it: what is found counts in
/// full from there on. In a call a face is found within a second or two, and its filter fades in.
///
/// ```swift
/// let source = BeautySource(clip, options: .natural)
/// ```
///
/// One owner, one thread at a time.
public final class BeautySource: FrameSource {
    private let source: any FrameSource
    private let options: BeautyOptions
    private var stage: BeautyStage
    private var pending = PendingFrame()
    /// The reason why faces are not searched for although this was requested; `nil` if they are.
    public let faceFailure: FaceCascadeError?

    /// Creates a source that filters the pictures of another one.
    ///
    /// - Parameters:
    ///   - source: the pictures to filter.
    ///   - options: the filter's options.
    ///   - faces: how faces are found. The installed cascade is read here; without it the source works without.
    ///   - capacity: how many pictures may be in use downstream at once.
    public convenience init(
        _ source: any FrameSource, options: BeautyOptions, faces: FaceDetection = .automatic, capacity: Int = 8
    ) {
        self.init(source, options: options, faces: faces, capacity: capacity, looksAhead: true)
    }

    /// Creates a source that looks ahead, or that filters as a call does.
    package init(
        _ source: any FrameSource, options: BeautyOptions, faces: FaceDetection, capacity: Int = 8, looksAhead: Bool
    ) {
        self.source = I420Source(source, capacity: capacity)
        self.options = options
        let found = faces.outcome
        stage = BeautyStage(options, cascade: found.cascade, looksAhead: looksAhead, capacity: capacity)
        faceFailure = found.failure
    }

    /// The format of the wrapped source.
    public var format: SourceFormat { source.format }

    /// The faces known in the last picture, in its pixels; see ``/RillBeauty/BeautyFilter/faces``.
    public var faces: [FaceRegion] { stage.faces }

    /// Returns the next picture. If there is no free buffer, it is kept for a later call.
    public func next() throws -> SourceOutput {
        try pending.next(of: source) { frame in try stage.apply(options, to: frame, clock: { .zero }) }
    }
}
