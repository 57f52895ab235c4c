public import RillCore

/// A source with exactly one frame for each interval of a rate, as files without times need it: frames are repeated
/// in gaps, and dropped where there are several for one interval.
///
/// Each frame is shown from the multiple of the interval that is nearest to its time, counted from the first frame.
/// Of several frames for one interval the last one stays. The last frame is repeated for its own duration.
///
/// One owner, one thread at a time.
public final class ConstantRateSource: FrameSource {
    private let source: any FrameSource
    private let rate: FrameRate
    private let endTime: () -> MediaTime?
    private var first: MediaTime?
    /// The frame to show next, and the intervals in which it is shown.
    private var current: (frame: VideoFrame, slots: Range<Int>)?
    /// The frame after it, and where it begins.
    private var following: (frame: VideoFrame, slot: Int)?
    private var hasEnded = false
    /// The number of frames that were returned once more than read.
    public private(set) var framesRepeated = 0
    /// The number of frames that were read and not returned.
    public private(set) var framesDropped = 0

    /// Creates a source with a constant rate.
    ///
    /// - Parameters:
    ///   - source: the clip.
    ///   - rate: the rate.
    ///   - endTime: asked at the end for the time when the last frame ends; `nil` for one interval after it.
    public init(_ source: any FrameSource, rate: FrameRate, endTime: @escaping () -> MediaTime? = { nil }) {
        self.source = source
        self.rate = rate
        self.endTime = endTime
    }

    /// The format of the clip, with the rate, and without its number of frames.
    public var format: SourceFormat {
        var format = source.format
        (format.frameRate, format.frameCount) = (rate, nil)
        return format
    }

    /// Returns the frame of the next interval.
    public func next() throws -> SourceOutput {
        while true {
            if let current, !current.slots.isEmpty { return .frame(take(current)) }
            if let following {
                // Its end is known when the frame after it was read.
                let (output, next) = try read(after: following.slot)
                switch output {
                case .frame: break
                case .end: hasEnded = true
                case .noBuffer, .pending: return output
                }
                let end = next.map(\.slot) ?? max(following.slot + 1, endTime().map(slot) ?? 0)
                if next?.slot == following.slot {
                    framesDropped += 1
                } else {
                    current = (following.frame, following.slot..<end)
                }
                self.following = next
                continue
            }
            guard !hasEnded else { return .end }
            let (output, next) = try read(after: 0)
            guard case .frame = output else { return output }
            following = next
        }
    }

    /// Reads a frame; its interval is not before `slot`.
    private func read(after slot: Int) throws -> (SourceOutput, (frame: VideoFrame, slot: Int)?) {
        guard !hasEnded else { return (.end, nil) }
        let output = try source.next()
        guard case .frame(let frame) = output else { return (output, nil) }
        first = first ?? frame.captureTime
        return (output, (frame, max(slot, self.slot(frame.captureTime))))
    }

    /// Returns the interval that begins nearest to a time.
    private func slot(_ time: MediaTime) -> Int {
        let nanoseconds = Int128((time - (first ?? time)).nanoseconds) * Int128(rate.numerator)
        let interval = Int128(rate.denominator) * 1_000_000_000
        return Int((nanoseconds + interval / 2) / interval)
    }

    private func take(_ shown: (frame: VideoFrame, slots: Range<Int>)) -> VideoFrame {
        var frame = shown.frame
        frame.captureTime = (first ?? MediaTime.zero) + (rate.time(ofFrame: shown.slots.lowerBound) - MediaTime.zero)
        let rest = shown.slots.dropFirst()
        current = (shown.frame, rest)
        if !rest.isEmpty { framesRepeated += 1 }
        return frame
    }
}
