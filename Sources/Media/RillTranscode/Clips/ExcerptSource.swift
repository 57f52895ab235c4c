public import RillCore

/// A source of a part of a clip, given by times: frames from `start` on, until `duration` later. Times count from
/// `start`.
///
/// Frames before the start are read and dropped. A source that already begins later loses no time by it. One owner,
/// one thread at a time.
public final class ExcerptSource: FrameSource {
    private let source: any FrameSource
    private let start: MediaDuration
    private let end: MediaDuration?
    private let onEnd: () -> Void
    private var isOver = false

    /// Creates a source of a part of another one.
    ///
    /// - Parameters:
    ///   - source: the clip.
    ///   - start: the time in the clip where the part starts.
    ///   - duration: its length; `nil` for all that follows.
    ///   - onEnd: called once, when a frame after the part was read; not if the clip itself ends or fails.
    public init(
        _ source: any FrameSource, from start: MediaDuration, duration: MediaDuration?,
        onEnd: @escaping () -> Void = {}
    ) {
        self.source = source
        self.start = start
        self.end = duration.map { start + $0 }
        self.onEnd = onEnd
    }

    /// The format of the clip, without its number of frames.
    public var format: SourceFormat {
        var format = source.format
        format.frameCount = nil
        return format
    }

    /// Returns the next frame of the part, or the end.
    public func next() throws -> SourceOutput {
        guard !isOver else { return .end }
        while true {
            let output = try source.next()
            guard case .frame(var frame) = output else { return output }
            let time = frame.captureTime - MediaTime.zero
            if let end, time >= end {
                isOver = true
                onEnd()
                return .end
            }
            guard time >= start else { continue }
            frame.captureTime = .zero + (time - start)
            return .frame(frame)
        }
    }
}
