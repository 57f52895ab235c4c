/// Where frames come from: a clip, a camera, a drawn scene.
///
/// A source is pulled: each call gives the next frame. It has one owner and is not called from two threads at once; how
/// fast it is asked is its driver's business.
public protocol FrameSource: AnyObject {
    /// Size and rate of the frames to come, as far as the source knows them.
    var format: SourceFormat { get }

    /// The next frame. A camera waits a moment until there is one; a file or a scene does not.
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
    /// A camera has no frame yet, and may have none for long (it is unplugged): ask again at once. The wait is over, so
    /// that whoever asks can do something else, such as stop.
    case pending
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
    /// Whether frames come in real time by themselves, with capture times by `CLOCK_MONOTONIC`: a camera. All other
    /// sources give frames as fast as they are asked, and a live driver paces them.
    public var isLive: Bool

    /// `frameRate` has no default, so that a source says on purpose that it has none.
    public init(resolution: Resolution, frameRate: FrameRate?, frameCount: Int? = nil, isLive: Bool = false) {
        self.resolution = resolution
        self.frameRate = frameRate
        self.frameCount = frameCount
        self.isLive = isLive
    }
}
