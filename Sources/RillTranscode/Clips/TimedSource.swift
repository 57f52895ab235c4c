public import RillCore
import RillThreads

/// A source that ends after a time: so much of a camera, which has no end of its own, or of a clip.
///
/// What counts are capture times, from the first frame on. A live source that gives no frame ends when as much time has
/// passed by the clock. One owner, one thread at a time.
public final class TimedSource: FrameSource {
    /// What it is a part of.
    public var wrapped: any FrameSource { source }

    private let source: any FrameSource
    private let duration: MediaDuration
    private let startsAtZero: Bool
    private let clock = LiveClock()
    private var first: MediaTime?
    /// Whether it ended because its time was over, not because the wrapped source did.
    public private(set) var isTimeOver = false

    /// As much of `source` as lasts `duration`.
    ///
    /// - Parameter startsAtZero: whether capture times count from the first frame, as in a file; else they stay as they are,
    ///   which a live driver needs of a camera.
    public init(_ source: any FrameSource, duration: MediaDuration, startsAtZero: Bool = false) {
        self.source = source
        self.duration = duration
        self.startsAtZero = startsAtZero
    }

    /// What the wrapped source says, with the number of frames that its rate makes of the duration; how many a camera will
    /// give nobody knows beforehand.
    public var format: SourceFormat {
        var format = source.format
        if let rate = format.frameRate, !format.isLive {
            let count = Int((duration.seconds * rate.framesPerSecond).rounded())
            format.frameCount = min(format.frameCount ?? count, count)
        }
        return format
    }

    /// The next frame, or the end.
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
