/// Says of each picture that a decoder gives whether it belongs to a range of frames.
///
/// A reading from the beginning is the truth: its pictures are counted, or told apart by their stamps where the index
/// knows them. A reading from an entry on has to give exactly the pictures that the index expects, each at its stamp and
/// none left out; at the first that differs it is `unexpected`, and the caller reads from the beginning instead.
struct FrameWindow {
    let frames: Range<Int>
    let stamps: [Int64]
    /// Where the reading began.
    private let start: Int
    /// The place of the next picture where each is expected, of the last one otherwise.
    private var position: Int
    /// Pictures of the range that another reading gave already.
    private var given: Int

    enum Place: Equatable {
        /// It comes before the range, or was given before.
        case before
        case inside
        /// It and all that follow come behind the range.
        case behind
        /// It is not the picture that belongs here.
        case unexpected
    }

    /// A reading that begins at frame `start`.
    ///
    /// - Parameter given: how many pictures of the range a reading that was given up had given.
    init(_ frames: Range<Int> = 0..<Int.max, start: Int = 0, stamps: [Int64] = [], given: Int = 0) {
        self.frames = frames
        self.start = start
        self.stamps = stamps
        self.given = given
        position = start > 0 ? start : -1
    }

    /// Whether no picture of the range can follow. With stamps the next one tells.
    var isDone: Bool { frames.isEmpty || stamps.isEmpty && position >= frames.upperBound - 1 }

    /// Whether all pictures are wanted.
    var isEverything: Bool { frames.lowerBound == 0 && frames.upperBound == .max }

    /// Whether each picture is held against the index.
    private var isStrict: Bool { start > 0 }

    /// The same range read from the beginning, of which so many pictures were given already.
    func fromTheBeginning(given: Int) -> FrameWindow { FrameWindow(frames, stamps: stamps, given: given) }

    /// Whether the decoder's end comes too early.
    var lacksPictures: Bool { isStrict && position < min(frames.upperBound, stamps.count) }

    /// The place of the next picture, whose stamp is `stamp`.
    mutating func place(_ stamp: Int64?) -> Place {
        if isStrict {
            // Also behind the range: what is out of order there belongs to it.
            guard position < stamps.count, stamp == stamps[position] else { return .unexpected }
            defer { position += 1 }
            return position < frames.lowerBound ? .before : position < frames.upperBound ? .inside : .behind
        }
        position = stamps.isEmpty ? position + 1 : max(position, 0, place(of: stamp))
        guard position >= frames.lowerBound else { return .before }
        guard position < frames.upperBound else { return .behind }
        guard given == 0 else {
            given -= 1
            return .before
        }
        return .inside
    }

    /// The last picture whose stamp is not behind `stamp`; -1 where there is none.
    private func place(of stamp: Int64?) -> Int {
        guard let stamp else { return -1 }
        var (low, high) = (0, stamps.count)
        while low < high {
            let middle = (low + high) / 2
            if stamps[middle] <= stamp { low = middle + 1 } else { high = middle }
        }
        return low - 1
    }
}
