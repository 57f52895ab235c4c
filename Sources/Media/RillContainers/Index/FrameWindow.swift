/// Decides for each decoded picture whether it belongs to a range of frames.
///
/// A reading from the start is authoritative: its pictures are counted, or identified by timestamps if the index
/// knows them. A reading from a later entry must yield exactly the pictures in the index, each at its timestamp and
/// without gaps. The first mismatch is `unexpected`, and the caller then reads from the start instead.
struct FrameWindow {
    let frames: Range<Int>
    let timestamps: [Int64]
    /// The frame where the reading started.
    private let start: Int
    /// The number of the next picture in a strict reading, of the last one otherwise.
    private var position: Int
    /// The number of pictures of the range that another reading returned already.
    private var given: Int

    enum Place: Equatable {
        /// It is before the range, or was returned already.
        case before
        case inside
        /// It and all later pictures are after the range.
        case behind
        /// It is not the expected picture.
        case unexpected
    }

    /// Creates a window for a reading that starts at frame `start`.
    ///
    /// - Parameters:
    ///   - frames: the range.
    ///   - start: the frame where the reading starts.
    ///   - timestamps: the timestamps in the index.
    ///   - given: how many pictures of the range an abandoned reading has returned.
    init(_ frames: Range<Int> = 0..<Int.max, start: Int = 0, timestamps: [Int64] = [], given: Int = 0) {
        self.frames = frames
        self.start = start
        self.timestamps = timestamps
        self.given = given
        position = start > 0 ? start : -1
    }

    /// Whether no picture of the range can follow. With timestamps only the next picture shows that.
    var isDone: Bool { frames.isEmpty || timestamps.isEmpty && position >= frames.upperBound - 1 }

    /// Whether all pictures are requested.
    var isEverything: Bool { frames.lowerBound == 0 && frames.upperBound == .max }

    /// Whether each picture is compared with the index.
    private var isStrict: Bool { start > 0 }

    /// Returns the window for the same range read from the start, when `given` pictures were returned already.
    func fromTheBeginning(given: Int) -> FrameWindow { FrameWindow(frames, timestamps: timestamps, given: given) }

    /// Whether the decoder ended too early.
    var lacksPictures: Bool { isStrict && position < min(frames.upperBound, timestamps.count) }

    /// Returns the position of the next picture, whose timestamp is `stamp`.
    mutating func place(_ stamp: Int64?) -> Place {
        if isStrict {
            // Also after the range: pictures that are out of order there belong to it.
            guard position < timestamps.count, stamp == timestamps[position] else { return .unexpected }
            defer { position += 1 }
            return position < frames.lowerBound ? .before : position < frames.upperBound ? .inside : .behind
        }
        position = timestamps.isEmpty ? position + 1 : max(position, 0, place(of: stamp))
        guard position >= frames.lowerBound else { return .before }
        guard position < frames.upperBound else { return .behind }
        guard given == 0 else {
            given -= 1
            return .before
        }
        return .inside
    }

    /// Returns the last picture whose timestamp is at or before `stamp`; -1 if there is none.
    private func place(of stamp: Int64?) -> Int {
        guard let stamp else { return -1 }
        var (low, high) = (0, timestamps.count)
        while low < high {
            let middle = (low + high) / 2
            if timestamps[middle] <= stamp { low = middle + 1 } else { high = middle }
        }
        return low - 1
    }
}
