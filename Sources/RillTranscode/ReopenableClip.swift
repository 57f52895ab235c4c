public import RillCore

/// A clip that can be opened more than once, and in the middle: what two passes and segments need.
///
///     let clip = ReopenableClip(try ContainerClip(path: "clip.mp4"))
public struct ReopenableClip: Sendable {
    /// Opens the clip: whole with `nil`, else those of its frames, which are counted from 0, at the times that they have in
    /// the whole clip. Called on the threads that will read.
    public var open: @Sendable (_ frames: Range<Int>?) throws -> any FrameSource
    /// How many frames there are, where that is known.
    public var frameCount: Int?
    /// Whether it can be opened for a range; else, and where its frames were not counted, it is not cut.
    public var opensRanges: Bool
    /// When the first frame stands.
    public var start: MediaTime
    /// Frames that are read and thrown away before those of a segment: for filters with a memory. At least 2, by which
    /// outputs of a lower rate find their place.
    public var runIn: Int

    /// A clip that opens for ranges, if its frames were counted.
    ///
    /// - Parameter prepare: what is done to the pictures of each reading: a filter around the source.
    public init(
        _ clip: any RangedSource, runIn: Int = 2,
        through prepare: @escaping @Sendable (any FrameSource) throws -> any FrameSource = { $0 }
    ) {
        self.init(
            frameCount: clip.format.frameCount, opensRanges: clip.format.frameCount != nil,
            start: clip.time(ofFrame: 0) ?? .zero, runIn: runIn
        ) { frames in try prepare(clip.open(frames: frames ?? 0..<Int.max)) }
    }

    /// A clip that `open` opens.
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

/// Into how many parts a clip is cut, each of which begins with a key frame and is coded apart.
///
/// The bytes depend on the number of parts, and on nothing else: not on the threads, nor on the machine.
public enum SegmentCount: Sendable, Equatable {
    /// The whole clip as one.
    case one
    /// That many, but no more than there are frames.
    case count(Int)
    /// One for each 300 frames (10 s at 30 a second), 64 at the most: by the clip alone, whatever the machine.
    case automatic

    /// Frames of a segment when nobody says how many segments there are.
    public static let automaticLength = 300

    /// Even shares of that many frames, in their order. The last has no end, should there be more frames than were counted.
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
