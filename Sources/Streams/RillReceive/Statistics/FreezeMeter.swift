public import RillCore

/// A counter of freezes and pauses that a viewer sees, from the times at which frames are shown.
///
/// It applies two rules. The W3C rule (webrtc-stats, freezeCount) adapts to the frame rate: a gap is a freeze if it
/// is at least max(3 a, a + 150 ms), where a is the mean of up to 30 previous gaps. It applies from the sixth gap on,
/// when a is meaningful. The plain rule: a gap of more than 500 ms. A gap of more than 5 s is also a pause.
///
/// ```swift
/// var meter = FreezeMeter()
/// meter.shown(at: now)  // for each frame
/// print(meter.statistics.freezeCount)
/// ```
///
/// A value with one owner; allocates nothing.
public struct FreezeMeter: Sendable {
    /// Counts since the meter was created.
    public struct Statistics: Codable, Equatable, Sendable {
        /// Frames shown (W3C framesRendered).
        public internal(set) var framesRendered = 0
        /// Freezes by the W3C rule.
        public internal(set) var freezeCount = 0
        /// Their total duration.
        public internal(set) var totalFreezesDuration = MediaDuration.zero
        /// Gaps of more than 5 seconds.
        public internal(set) var pauseCount = 0
        /// Their total duration.
        public internal(set) var totalPausesDuration = MediaDuration.zero
        /// The time between frames, summed.
        public internal(set) var totalInterFrameDelay = MediaDuration.zero
        /// The squares of the times between frames, summed, in seconds squared.
        public internal(set) var totalSquaredInterFrameDelay = 0.0
        /// Gaps of more than 500 ms: not a W3C counter, but a rule of many vendors.
        public internal(set) var longGapCount = 0
        /// Their total duration.
        public internal(set) var totalLongGapsDuration = MediaDuration.zero
    }

    /// Counts since the meter was created.
    public private(set) var statistics = Statistics()

    /// A longer gap is a freeze by the plain rule.
    public static let longGap = MediaDuration.milliseconds(500)
    /// A longer gap is a pause.
    public static let pause = MediaDuration.seconds(5)
    private static let windowLength = 30
    private static let minimumGapCount = 5

    private var lastShown: MediaTime?
    /// The last gaps in nanoseconds, in a ring, and their sum.
    private var window = InlineArray<30, Int64>(repeating: 0)
    private var gapCount = 0
    private var windowSum: Int64 = 0

    /// Creates a meter.
    public init() {}

    /// Notes that a frame was shown. Times must not run backwards; an earlier time counts as a gap of zero.
    public mutating func shown(at now: MediaTime) {
        statistics.framesRendered += 1
        guard let last = lastShown else {
            lastShown = now
            return
        }
        let gap = max(.zero, now - last)
        lastShown = max(now, last)
        statistics.totalInterFrameDelay += gap
        statistics.totalSquaredInterFrameDelay += gap.seconds * gap.seconds
        if let threshold = freezeThreshold, gap >= threshold {
            statistics.freezeCount += 1
            statistics.totalFreezesDuration += gap
        }
        if gap > FreezeMeter.longGap {
            statistics.longGapCount += 1
            statistics.totalLongGapsDuration += gap
        }
        if gap > FreezeMeter.pause {
            statistics.pauseCount += 1
            statistics.totalPausesDuration += gap
        }
        remember(gap)
    }

    /// Notes an intended interruption, for example a muted stream: the gap until the next frame does not count.
    public mutating func interrupt() { lastShown = nil }

    /// The length from which the next gap is a freeze by the W3C rule; `nil` while too few frames were shown.
    public var freezeThreshold: MediaDuration? {
        guard gapCount >= FreezeMeter.minimumGapCount else { return nil }
        let average = MediaDuration(nanoseconds: windowSum / Int64(min(gapCount, FreezeMeter.windowLength)))
        return max(average * 3, average + .milliseconds(150))
    }

    private mutating func remember(_ gap: MediaDuration) {
        let index = gapCount % FreezeMeter.windowLength
        windowSum += gap.nanoseconds - window[index]
        window[index] = gap.nanoseconds
        gapCount += 1
    }
}

extension FreezeMeter.Statistics: CustomStringConvertible {
    /// The non-zero counters by name: `framesRendered 120, freezeCount 1`.
    public var description: String { countedText(self) }
}
