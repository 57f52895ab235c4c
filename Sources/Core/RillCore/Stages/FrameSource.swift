/// A source of frames: a clip, a camera, a drawn scene.
///
/// A source is pulled: each call returns the next frame. It has one owner and is never called from two threads at
/// once. Its driver decides how fast to call it.
public protocol FrameSource: AnyObject {
    /// The size and rate of the frames to come, as far as the source knows them.
    var format: SourceFormat { get }

    /// Returns the next frame. A camera waits briefly for one; a file or a scene does not wait.
    ///
    /// Frames arrive in the order of their capture times. These start wherever the source's own clock starts.
    func next() throws -> SourceOutput
}

/// The result of one call of a ``FrameSource``.
public enum SourceOutput: Sendable {
    /// A picture with its capture time.
    case frame(VideoFrame)
    /// Every buffer of the source's pool is in use downstream. Call again once frames have been released. Nothing was
    /// lost.
    case noBuffer
    /// A camera has no frame yet, and may have none for a long time (it is unplugged). Call again at once. The wait
    /// ended so that the caller can do something else, such as stop.
    case pending
    /// There are no more frames.
    case end
}

/// The properties of a source's frames.
public struct SourceFormat: Hashable, Sendable {
    /// The size of the pictures in pixels. A frame may differ; its own size counts.
    public var resolution: Resolution
    /// The nominal rate, or `nil` if frames have no fixed rate.
    public var frameRate: FrameRate?
    /// The total number of frames, if known in advance.
    public var frameCount: Int?
    /// Whether frames arrive in real time, with capture times on `CLOCK_MONOTONIC`: a camera. All other sources
    /// return frames as fast as they are called, and a live driver paces them.
    public var isLive: Bool

    /// Creates a format. `frameRate` has no default, so that a source states on purpose that it has none.
    public init(resolution: Resolution, frameRate: FrameRate?, frameCount: Int? = nil, isLive: Bool = false) {
        self.resolution = resolution
        self.frameRate = frameRate
        self.frameCount = frameCount
        self.isLive = isLive
    }
}

/// The frame that a converting source took from another source, until its converted copy has a buffer.
package struct PendingFrame {
    private var frame: VideoFrame?

    package init() {}

    /// Returns the next output of `source`, with its frames converted.
    ///
    /// If `convert` returns `nil`, the output is `.noBuffer`, and the next call converts the same frame again.
    package mutating func next(
        of source: any FrameSource, _ convert: (VideoFrame) throws -> VideoFrame?
    ) throws -> SourceOutput {
        if frame == nil {
            let output = try source.next()
            guard case .frame(let next) = output else { return output }
            frame = next
        }
        guard let frame, let converted = try convert(frame) else { return .noBuffer }
        self.frame = nil
        return .frame(converted)
    }
}
