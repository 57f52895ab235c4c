/// Where frames come from: a clip, a camera, a drawn scene.
///
/// A source is pulled: each call gives the next frame. It has one owner and is not called from two threads at once; how
/// fast it is asked is its driver's business.
public protocol FrameSource: AnyObject {
    /// Size and rate of the frames to come, as far as the source knows them.
    var format: SourceFormat { get }

    /// The next frame. A camera blocks until there is one; a file or a scene does not.
    ///
    /// Frames come in the order of their capture times, which begin where the source's own clock begins.
    func next() throws -> SourceOutput
}

/// One answer of a ``FrameSource``.
public enum SourceOutput: Sendable {
    /// A picture, with its capture time.
    case frame(VideoFrame)
    /// Every buffer of the source's pool is in use downstream: ask again once frames were let go. Nothing was lost.
    case noBuffer
    /// There will be no more frames.
    case end
}

/// What a source says of the frames that it gives.
public struct SourceFormat: Hashable, Sendable {
    /// Size of the pictures in pixels. A frame that differs says so itself.
    public var resolution: Resolution
    /// Nominal rate; `nil` where frames come at no fixed rate.
    public var frameRate: FrameRate?
    /// Frames in all, where that is known beforehand.
    public var frameCount: Int?

    /// `frameRate` has no default, so that a source says on purpose that it has none.
    public init(resolution: Resolution, frameRate: FrameRate?, frameCount: Int? = nil) {
        self.resolution = resolution
        self.frameRate = frameRate
        self.frameCount = frameCount
    }
}
