public import RillCore

/// A clip that can be opened more than once, and in the middle, as two passes and segments require.
///
/// ```swift
/// let clip = ReopenableClip(try ContainerClip(path: "clip.mp4"))
/// ```
public struct ReopenableClip: Sendable {
    /// Opens the clip: the whole with `nil`, otherwise a range of frames, counted from 0, with their times in the
    /// whole clip. It is called on the reading threads.
    public var open: @Sendable (_ frames: Range<Int>?) throws -> any FrameSource
    /// The number of frames, if known.
    public var frameCount: Int?
    /// Whether it can be opened for a range. If not, or if the frames were not counted, it is not split.
    public var opensRanges: Bool
    /// The time of the first frame.
    public var start: MediaTime
    /// The number of frames to read and drop before those of a segment, for filters with a memory. At least 2, which
    /// outputs with a lower rate need to align their grid.
    public var runIn: Int

    /// Creates a clip from a ranged source. It opens ranges if the source's frames were counted.
    ///
    /// - Parameters:
    ///   - clip: the source.
    ///   - runIn: the number of frames to read and drop before those of a segment, at least 2.
    ///   - prepare: wraps the source of each reading in a filter.
    public init(
        _ clip: any RangedSource, runIn: Int = 2,
        through prepare: @escaping @Sendable (any FrameSource) throws -> any FrameSource = { $0 }
    ) {
        self.init(
            frameCount: clip.format.frameCount, opensRanges: clip.format.frameCount != nil,
            start: clip.time(ofFrame: 0) ?? .zero, runIn: runIn
        ) { frames in try prepare(clip.open(frames: frames ?? 0..<Int.max)) }
    }

    /// Creates a clip that calls `open` for each reading.
    public init(
        frameCount: Int?, opensRanges: Bool = true, start: MediaTime = .zero, runIn: Int = 2,
        open: @escaping @Sendable (_ frames: Range<Int>?) throws -> any FrameSource
    ) {
        self.frameCount = frameCount
        self.opensRanges = opensRanges
        self.start = start
        self.runIn = max(2, runIn)
        self.open = open
    }
}

/// The number of parts into which a clip is split. Each starts with a key frame and is coded separately.
///
/// The output depends on the number of parts, but neither on the threads nor on the machine.
public enum SegmentCount: Sendable, Equatable {
    /// The whole clip as one part.
    case one
    /// That many, but at most one per frame.
    case count(Int)
    /// One per 300 frames (10 s at 30 frames per second), at most 64. It depends only on the clip.
    case automatic

    /// The number of frames per segment with ``automatic``.
    public static let automaticLength = 300

    /// Returns equal shares of that many frames, in order. The last one is open-ended, in case there are more frames
    /// than counted.
    package func ranges(of frameCount: Int) -> [Range<Int>] {
        let wanted =
            switch self {
            case .one: 1
            case .count(let count): count
            case .automatic: min(64, frameCount / SegmentCount.automaticLength)
            }
        let count = max(1, min(wanted, frameCount))
        return (0..<count).map { index in
            let (begin, end) = (frameCount * index / count, frameCount * (index + 1) / count)
            return begin..<(index == count - 1 ? .max : end)
        }
    }
}
