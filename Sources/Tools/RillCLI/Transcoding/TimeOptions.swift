import ArgumentParser
import RillCore
import RillTranscode

/// Which part of a clip is transcoded, and at which times its frames are.
struct TimeOptions: ParsableArguments {
    @Option(help: "Start of the part to transcode, as a time in the clip: 90s, 1.5min.", transform: durationNotation)
    var start: MediaDuration?

    @Option(help: "Length of the part to transcode.", transform: durationNotation)
    var duration: MediaDuration?

    @Flag(
        help: ArgumentHelp(
            "One frame for each interval of --fps, by default of the clip's usual rate: frames are repeated and dropped "
                + "where the clip's times are uneven. For .y4m and .yuv, which store no times."))
    var constantRate = false

    @Option(
        help: ArgumentHelp(
            "The most media time between two key frames (default: 10s). A player that seeks decodes at most that much."),
        transform: durationNotation)
    var keyInterval = Transcoder.defaultKeyFrameInterval

    func validate() throws {
        if let start, start < .zero { throw ValidationError("--start must not be negative, not \(start)") }
        if let duration, duration <= .zero {
            throw ValidationError("--duration must be greater than zero, not \(duration)")
        }
        guard keyInterval > .zero else {
            throw ValidationError("--key-interval must be greater than zero, not \(keyInterval)")
        }
    }

    /// Whether all of the clip is transcoded.
    var isWhole: Bool { start == nil && duration == nil }

    /// Returns a source of the part.
    ///
    /// - Parameter onEnd: called when the part has ended before the clip.
    func excerpt(of source: any FrameSource, onEnd: @escaping () -> Void) -> any FrameSource {
        isWhole ? source : ExcerptSource(source, from: start ?? .zero, duration: duration, onEnd: onEnd)
    }

    /// Returns when the last picture of the part ends, if the last one read ends at `end` in the clip.
    func endTime(_ end: MediaTime?) -> MediaTime? {
        guard let end else { return nil }
        let shifted = end - MediaTime.zero - (start ?? .zero)
        return MediaTime.zero + (duration.map { min($0, shifted) } ?? shifted)
    }

    /// Returns the frames of a clip that are in the part; `nil` if the clip does not know their times.
    func frames(of clip: any RangedSource) -> Range<Int>? {
        guard let count = clip.format.frameCount else { return nil }
        /// The first frame at or after a time, by bisection.
        func first(from time: MediaDuration) -> Int? {
            var (low, high) = (0, count)
            while low < high {
                let middle = (low + high) / 2
                guard let found = clip.time(ofFrame: middle) else { return nil }
                if found - MediaTime.zero < time { low = middle + 1 } else { high = middle }
            }
            return low
        }
        guard let begin = first(from: start ?? .zero) else { return nil }
        guard let duration else { return begin..<count }
        return first(from: (start ?? .zero) + duration).map { begin..<max(begin, $0) }
    }
}

/// The frames of a part of a clip, counted from its first. Times are those of the part; the frames of an opened range
/// still have those of the clip, until an ``ExcerptSource`` converts them.
struct ExcerptClip: RangedSource {
    let clip: any RangedSource
    let frames: Range<Int>
    let start: MediaDuration

    var format: SourceFormat {
        var format = clip.format
        format.frameCount = frames.count
        return format
    }

    func entry(for frame: Int) -> Int { max(0, clip.entry(for: frames.lowerBound + frame) - frames.lowerBound) }

    func time(ofFrame frame: Int) -> MediaTime? {
        guard frame < frames.count else { return nil }
        return clip.time(ofFrame: frames.lowerBound + frame).map { $0 - start }
    }

    func open(frames part: Range<Int>, capacity: Int) throws -> any FrameSource {
        let begin = frames.lowerBound + min(part.lowerBound, frames.count)
        let end = part.upperBound < frames.count ? frames.lowerBound + part.upperBound : frames.upperBound
        return try clip.open(frames: begin..<end, capacity: capacity)
    }
}
