public import RillCore

/// Decides how much of the filter's work is done, from what the last frames cost: less where they take longer than they
/// may, more again once there is room.
///
///     var deadline = BeautyDeadline(budget: .milliseconds(4))
///     let result = try filter.apply(to: frame, into: pool, level: deadline.level)
///     deadline.add(cost: measured)
///
/// One level at a time, in the order of ``BeautyLevel``. It goes down when the frames of half a second cost more than the
/// budget on average, and up again when three seconds of them in a row stayed below three fifths of it. A level that does
/// not hold, because it has to be given up again within a second, is tried again only after twice the time, up to a minute
/// and a half: a machine at its limit does not swing.
///
/// A pure value: it reads no clock. Its driver tells what a frame cost; offline and in virtual time that is a number given
/// beforehand, so that the same run gives the same bytes.
public struct BeautyDeadline: Hashable, Sendable {
    /// What a frame may cost.
    public let budget: MediaDuration
    /// What is to be done for the next frame.
    public private(set) var level = BeautyLevel.full
    /// How often the level changed.
    public private(set) var levelChanges = 0

    private var window: [MediaDuration] = []
    private var next = 0
    private var framesWithRoom = 0
    private var framesSinceRise: Int?
    private var riseDelay = BeautyDeadline.minimumRiseDelay

    /// Frames that are looked at together; a multiple of the interval at which a rare mask is made.
    private static let windowLength = 15
    private static let minimumRiseDelay = 90
    private static let maximumRiseDelay = 2880
    /// A rise that has lasted for so many frames has held.
    private static let trial = 30

    /// A deadline for frames that may cost `budget` on average; more than nothing.
    public init(budget: MediaDuration) {
        precondition(budget > .zero, "a frame costs something: the budget cannot be \(budget)")
        self.budget = budget
        window.reserveCapacity(BeautyDeadline.windowLength)
    }

    /// Takes note of what a frame cost at the present level.
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
        // What was measured says nothing of the new level.
        window.removeAll(keepingCapacity: true)
        next = 0
        framesWithRoom = 0
    }
}
