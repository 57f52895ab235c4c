public import RillCore

/// Chooses how much of the filter's work is done, from the cost of recent frames: less if they take longer than
/// allowed, more again once there is headroom.
///
/// ```swift
/// var deadline = BeautyDeadline(budget: .milliseconds(4))
/// let result = try filter.apply(to: frame, into: pool, level: deadline.level)
/// deadline.add(cost: measured)
/// ```
///
/// It moves one level at a time, in the order of ``BeautyLevel``. Times below are for 30 frames per second. It steps
/// down when the frames of half a second cost more than the budget on average. It steps up again when their average
/// stayed below three fifths of the budget for three seconds. If a level must be given up again within a second, it
/// is tried again only after twice the time, up to a minute and a half, so that a machine at its limit does not
/// oscillate.
///
/// A pure value: it reads no clock. Its driver passes in the cost of each frame. Offline and in virtual time that is
/// a fixed number, so that the same run produces the same bytes.
public struct BeautyDeadline: Hashable, Sendable {
    /// The allowed average cost of a frame.
    public let budget: MediaDuration
    /// The level of the next frame.
    public private(set) var level = BeautyLevel.full
    /// How often the level has changed.
    public private(set) var levelChanges = 0

    private var window: [MediaDuration] = []
    private var next = 0
    private var framesWithRoom = 0
    private var framesSinceRise: Int?
    private var riseDelay = BeautyDeadline.minimumRiseDelay

    /// The number of frames to average; a multiple of the interval between masks.
    private static let windowLength = 15
    private static let minimumRiseDelay = 90
    private static let maximumRiseDelay = 2880
    /// After this many frames a step up counts as successful.
    private static let trial = 30

    /// Creates a deadline for frames that may cost `budget` on average. It must be positive.
    public init(budget: MediaDuration) {
        precondition(budget > .zero, "a frame costs something: the budget cannot be \(budget)")
        self.budget = budget
        window.reserveCapacity(BeautyDeadline.windowLength)
    }

    /// Records the cost of a frame at the current level.
    public mutating func add(cost: MediaDuration) {
        if window.count < BeautyDeadline.windowLength { window.append(cost) } else { window[next] = cost }
        next = (next + 1) % BeautyDeadline.windowLength
        if let count = framesSinceRise {
            framesSinceRise = count + 1
            if count + 1 >= BeautyDeadline.trial {
                framesSinceRise = nil
                riseDelay = BeautyDeadline.minimumRiseDelay
            }
        }
        guard window.count == BeautyDeadline.windowLength else { return }
        var sum = MediaDuration.zero
        for cost in window { sum += cost }
        let mean = sum.nanoseconds / Int64(BeautyDeadline.windowLength)
        framesWithRoom = 5 * mean <= 3 * budget.nanoseconds ? framesWithRoom + 1 : 0
        if mean > budget.nanoseconds {
            fall()
        } else if framesWithRoom >= riseDelay {
            rise()
        }
    }

    private mutating func fall() {
        if framesSinceRise != nil { riseDelay = min(2 * riseDelay, BeautyDeadline.maximumRiseDelay) }
        change(to: level.rawValue + 1)
        framesSinceRise = nil
    }

    private mutating func rise() {
        change(to: level.rawValue - 1)
        framesSinceRise = 0
    }

    private mutating func change(to number: Int) {
        guard let level = BeautyLevel(rawValue: number) else { return }
        self.level = level
        levelChanges += 1
        // The measurements do not apply to the new level.
        window.removeAll(keepingCapacity: true)
        next = 0
        framesWithRoom = 0
    }
}

/// How much of the filter's work is done for a frame, in the order in which a ``BeautyDeadline`` reduces it.
public enum BeautyLevel: Int, Codable, Hashable, Sendable, CaseIterable, Comparable {
    /// All of it.
    case full
    /// The mask is computed for every third frame, and reused for the others.
    case rareMask
    /// In addition, skin is smoothed from statistics at half the resolution in each direction.
    case halfStatistics
    /// Skin is not smoothed, and statistics are only computed with a new mask.
    case unsmoothed

    /// Whether `a` does more work.
    public static func < (a: BeautyLevel, b: BeautyLevel) -> Bool { a.rawValue < b.rawValue }

    /// The number of frames from one mask to the next.
    var maskInterval: Int { self == .full ? 1 : 3 }

    /// Whether skin is smoothed.
    var smooths: Bool { self != .unsmoothed }

    /// Whether statistics are those of four cells at once.
    var isCoarse: Bool { self >= .halfStatistics }

    func limited(_ amounts: BeautyAmounts) -> BeautyAmounts {
        guard !smooths else { return amounts }
        var amounts = amounts
        amounts.smoothing = 0
        return amounts
    }
}
