import RillCodec
import RillCore
import Testing

@testable import Rill

/// A real clip of 30 frames a second, played twice (30 s), of which frames are missing or come at other times.
enum UnevenFrames: Sendable, CustomTestStringConvertible {
    case even
    /// So many percent missing, at random.
    case random(Int)
    /// Every tenth frame missing.
    case tenth
    /// As many frames a second as `--fps` leaves.
    case thinned(Int)
    /// Stamps that are off by as much as 8 ms.
    case jittered
    /// 30 frames a second, 12, and 30 again, ten seconds each.
    case slower
    /// Half a second missing of each 2.5 s.
    case halfSeconds
    /// Two seconds missing of each ten.
    case twoSeconds

    /// The patterns that every target is kept to within 5 %.
    static let dense: [UnevenFrames] =
        [.even, .tenth, .jittered, .slower] + [1, 2, 5, 10].map { .random($0) } + [29, 28, 27, 7].map { .thinned($0) }
    static let all = dense + [.halfSeconds, .twoSeconds]

    var testDescription: String { "\(self)" }

    /// A frame that is left: its place in the clip played twice, its stamp, and whether one before it is missing.
    struct Frame {
        var place: Int
        var time: MediaTime
        var isAfterGap = false
    }

    /// The frames that are left of so many.
    func frames(of count: Int) -> [Frame] {
        var generator = SeededGenerator(seed: 7)
        var decimator = FrameDecimator(rate: frameRate)
        var slow = FrameDecimator(rate: 12)
        var frames: [Frame] = []
        for place in 0..<count {
            var time = FrameRate(30).time(ofFrame: place)
            let second = time.seconds
            let isLeft =
                switch self {
                case .even: true
                case .random(let percentage): Int.random(in: 0..<100, using: &generator) >= percentage || place == 0
                case .tenth: place % 10 != 9
                case .thinned: decimator.wants(time)
                case .jittered: true
                case .slower: second < 10 || second >= 20 || slow.wants(time)
                case .halfSeconds: place % 75 < 60
                case .twoSeconds: place % 300 < 240
                }
            guard isLeft else { continue }
            if case .jittered = self { time += .microseconds(Int.random(in: -8000...8000, using: &generator)) }
            let isAfterGap = frames.last.map { place - $0.place > 1 } ?? false
            frames.append(Frame(place: place, time: time, isAfterGap: isAfterGap))
        }
        return frames
    }

    /// What the encoder is told.
    var frameRate: FrameRate {
        if case .thinned(let rate) = self { FrameRate(rate) } else { 30 }
    }

    /// Whether frames are missing here and there, so that those behind a gap can be compared with the even clip's.
    var hasGaps: Bool {
        switch self {
        case .even, .jittered, .slower, .thinned(7): false
        default: true
        }
    }

    /// How far the rate may lie below its target, and above it.
    var tolerance: (below: Double, above: Double) {
        switch self {
        case .halfSeconds: (0.10, 0.05)
        case .twoSeconds: (0.25, 0.05)
        default: (0.05, 0.05)
        }
    }
}
