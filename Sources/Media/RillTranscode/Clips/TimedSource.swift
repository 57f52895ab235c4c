public import RillCore
import RillThreads

/// A source that ends after a given duration: for a camera, which has no end, or for a part of a clip.
///
/// Capture times count, starting at the first frame. A live source that returns no frame ends when that time has
/// passed on the clock. One owner, one thread at a time.
public final class TimedSource: FrameSource {
    /// The wrapped source.
    public var wrapped: any FrameSource { source }

    private let source: any FrameSource
    private let duration: MediaDuration
    private let startsAtZero: Bool
    private let clock = LiveClock()
    private var first: MediaTime?
    /// Whether it ended because its time was over, not because the wrapped source ended.
    public private(set) var isTimeOver = false

    /// Creates a source that ends after `duration`.
    ///
    /// - Parameters:
    ///   - source: the source to limit.
    ///   - duration: the maximum duration from the first frame.
    ///   - startsAtZero: whether capture times are relative to the first frame, as in a file. Otherwise they are
    ///     kept, which a live driver needs with a camera.
    public init(_ source: any FrameSource, duration: MediaDuration, startsAtZero: Bool = false) {
        self.source = source
        self.duration = duration
        self.startsAtZero = startsAtZero
    }

    /// The format of the wrapped source. The number of frames is limited to what the rate yields in the duration; for
    /// a camera it is unknown.
    public var format: SourceFormat {
        var format = source.format
        if let rate = format.frameRate, !format.isLive {
            let count = Int((duration.seconds * rate.framesPerSecond).rounded())
            format.frameCount = min(format.frameCount ?? count, count)
        }
        return format
    }

    /// Returns the next frame, or the end.
    public func next() throws -> SourceOutput {
        let output = try source.next()
        switch output {
        case .frame(let frame):
            let first = self.first ?? frame.captureTime
            self.first = first
            guard frame.captureTime - first < duration else {
                isTimeOver = true
                return .end
            }
            guard startsAtZero else { return output }
            var frame = frame
            frame.captureTime = .zero + (frame.captureTime - first)
            return .frame(frame)
        case .pending: return clock.now - .zero < duration ? output : .end
        case .noBuffer, .end: return output
        }
    }
}
