public import RillCore

/// A source that ends after a time: so much of a camera, which has no end of its own, or of a clip.
///
/// What counts are capture times, from the first frame on. A live source that gives no frame ends when as much time has
/// passed by the clock. One owner, one thread at a time.
public final class TimedSource: FrameSource {
    private let source: any FrameSource
    private let duration: MediaDuration
    private let clock = LiveClock()
    private var first: MediaTime?

    /// As much of `source` as lasts `duration`.
    public init(_ source: any FrameSource, duration: MediaDuration) {
        self.source = source
        self.duration = duration
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
            return frame.captureTime - first < duration ? output : .end
        case .pending: return clock.now - .zero < duration ? output : .end
        case .noBuffer, .end: return output
        }
    }
}
