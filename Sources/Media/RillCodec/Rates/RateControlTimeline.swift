import RillCore
import RillRTP

/// Assigns each frame a time on the clock of a codec's rate control, which only sees the start and end of frames.
///
/// A rate control spends the target bitrate times the duration of each frame. Frames may be unevenly spaced: a camera
/// dropped one, or a clip has a variable rate. On the rate control's clock they must neither overlap nor leave a
/// hole. libvpx takes a hole for a change of the frame rate, and gives the next second of frames the bits of longer
/// ones. So each frame starts where the previous one ended, and lasts as long as the time since the previous frame,
/// with two exceptions:
///
/// - Jitter is smoothed: if an interval is within half of the typical one, the frame gets the typical duration, and
///   the difference is carried over as ``balance``.
/// - A gap is paid back slowly. With all of its time at once, the frame after it would be coded many times as large
///   as its neighbors. That frame and the following ones get half as much again as usual, until nothing is owed.
///   After a long gap only the first frame does, and the following ones get a sixth more: half as much again for a
///   second would overflow the queue of a network with little headroom above the target.
///
/// For frames that arrive in bursts, the mean interval is the typical one.
///
/// In the long run the durations add up to the elapsed time, except for gaps too long to be paid back. Frames at an
/// even rate keep their own timestamps and the announced duration. All times are 90 kHz ticks. One owner; it reads no
/// clock.
struct RateControlTimeline {
    /// Ticks per second, as in RTP.
    static let clockRate = RTPTimestamp.videoClockRate

    /// A frame's time in ticks. It starts where the previous frame ended, give or take a tick of rounding.
    struct Span: Equatable {
        var start: Int64
        /// At least one tick.
        var duration: Int64
        var end: Int64 { start + duration }
    }

    /// The announced interval between frames, in ticks. The real one may differ.
    private(set) var frameInterval: Int64
    /// The most time of gaps that is paid back.
    private let maximumBacklog: Int64
    /// The interval between most of the latest frames.
    private var usual: Int64
    private var mean: MeanInterval
    private var recent = RecentIntervals()
    private var isChangingRate = false
    /// Elapsed time that no frame has been given yet; negative if frames got some in advance.
    private(set) var balance: Int64 = 0
    /// The part of the balance that is due to long gaps.
    private var gapBacklog: Int64 = 0
    private var previous: MediaTime?
    /// The time from the first frame's timestamp to that of the last one.
    private var elapsed = MediaTime.zero
    private var elapsedTicks: Int64 = 0
    /// The end of the last frame.
    private(set) var end: Int64 = 0
    private var lastStart: Int64 = -1

    /// A gap that leaves more time than this is a long one.
    private static let longGap = ticks(.milliseconds(150))

    /// libvpx treats a rate below one frame in ten seconds as 30 frames per second.
    private static let longestInterval = MediaDuration.seconds(10)

    /// Creates a timeline.
    ///
    /// - Parameters:
    ///   - frameRate: the announced frame rate.
    ///   - maximumBacklog: the most time of gaps that is paid back, half of it for long gaps: the size of the rate
    ///     control's buffer.
    init(frameRate: FrameRate, maximumBacklog: MediaDuration) {
        frameInterval = Self.ticks(frameRate)
        usual = frameInterval
        mean = MeanInterval(frameInterval)
        self.maximumBacklog = Self.ticks(maximumBacklog)
    }

    /// Whether no frame has arrived yet.
    var isEmpty: Bool { previous == nil }

    /// Announces a new rate, which becomes the typical one at once. The same rate again changes nothing.
    mutating func announce(_ frameRate: FrameRate) {
        let interval = Self.ticks(frameRate)
        guard interval != frameInterval else { return }
        (frameInterval, usual, recent) = (interval, interval, RecentIntervals())
        mean = MeanInterval(interval)
    }

    /// The usual interval, or most of the mean interval if that is so much longer that frames must be arriving in
    /// bursts.
    private var typical: Int64 {
        let least = mean.interval * 3 / 4
        return least > usual * 2 ? least : usual
    }

    /// Returns the time of the next frame. A timestamp that does not increase counts as no elapsed time.
    mutating func span(at captureTime: MediaTime) -> Span {
        let before = end
        end = max(end + grant(of: interval(to: captureTime)), end + 1)
        // Frames at an even rate whose interval is not a whole number of ticks all get the same duration.
        let even = end - frameInterval
        let start = abs(even - before) <= 1 && even > lastStart ? even : before
        lastStart = start
        return Span(start: start, duration: end - start)
    }

    private mutating func interval(to captureTime: MediaTime) -> Int64 {
        defer { previous = captureTime }
        guard let previous else { return frameInterval }
        if captureTime > previous {
            let (passed, isTooLong) = captureTime.nanoseconds.subtractingReportingOverflow(previous.nanoseconds)
            elapsed += isTooLong ? Self.longestInterval : min(MediaDuration(nanoseconds: passed), Self.longestInterval)
        }
        // The total is rounded, so that rounding errors do not add up.
        let ticks = elapsed.ticks(rate: Self.clockRate)
        defer { elapsedTicks = ticks }
        recent.insert(ticks - elapsedTicks)
        mean.insert(ticks - elapsedTicks)
        followRate()
        return ticks - elapsedTicks
    }

    /// Detects a change of the source's rate, and where it converges.
    private mutating func followRate() {
        guard let mean = recent.mean(limit: usual * 2), mean > 0 else { return }
        isChangingRate = isChangingRate ? !isNear(mean, usual, percent: 3) : !isNear(mean, usual)
        if isChangingRate { usual = mean }
    }

    /// Returns the duration of a frame, out of the time that is available.
    private mutating func grant(of interval: Int64) -> Int64 {
        let typical = typical
        let interval = interval - cut(from: interval)
        let available = balance + interval
        let overdraft = min(typical, frameInterval)
        var grant = available
        if balance != 0 || !isNear(available, typical) {
            let longest = typical + typical / 2
            if available - gapBacklog > longest {
                grant = longest
            } else if available > longest {
                grant = typical + typical / 6
            } else if available >= typical - overdraft / 2 {
                grant = typical
            }
            // A frame may get up to twice its interval of owed time, but not if the source may have become faster,
            // which the typical interval does not show yet.
            let isPaidBack = available > longest && typical <= interval * 2
            let limit = isPaidBack ? interval * 2 : interval + interval / 2
            grant = max(min(grant, max(limit, frameInterval)), frameInterval / 4)
        }
        balance = max(min(available - grant, maximumBacklog), -overdraft)
        gapBacklog = max(min(gapBacklog, balance), 0)
        return grant
    }

    /// Records a long gap, and returns how much of it is never paid back.
    private mutating func cut(from interval: Int64) -> Int64 {
        guard interval - typical > Self.longGap else { return 0 }
        // Not owed are the frame's own interval and the extra time that it gets at once.
        let owed = max(interval - typical * 2, 0)
        let paidBack = min(owed, maximumBacklog / 2 - gapBacklog)
        gapBacklog += paidBack
        return owed - paidBack
    }

    /// Whether an interval is close to the typical one. A source's own rate may be off by 15 %; more is jitter, a
    /// gap, or a new rate.
    private func isNear(_ interval: Int64, _ typical: Int64, percent: Int64 = 15) -> Bool {
        abs(interval - typical) * 100 <= typical * percent
    }

    private static func ticks(_ frameRate: FrameRate) -> Int64 {
        max(1, ticks(min(frameRate.interval, longestInterval)))
    }

    private static func ticks(_ duration: MediaDuration) -> Int64 {
        (MediaTime.zero + duration).ticks(rate: Self.clockRate)
    }
}

/// The last nine intervals between frames, in ticks.
private struct RecentIntervals {
    private static let capacity = 9
    private var intervals = InlineArray<9, Int64>(repeating: 0)
    private var count = 0

    mutating func insert(_ interval: Int64) {
        intervals[count % Self.capacity] = interval
        count += 1
    }

    /// Returns their mean without the longest, each limited to `limit`, so that one or two gaps do not change the
    /// rate; `nil` until there are nine. Jitter hardly affects it: a longer interval makes the next one shorter.
    func mean(limit: Int64) -> Int64? {
        guard count >= Self.capacity else { return nil }
        var (sum, longest): (Int64, Int64) = (0, 0)
        for index in 0..<Self.capacity {
            let interval = min(intervals[index], limit)
            sum += interval
            longest = max(longest, interval)
        }
        return (sum - longest) / Int64(Self.capacity - 1)
    }
}

/// The mean of the last thirty or so intervals, in ticks, each limited to half a second.
private struct MeanInterval {
    private static let count: Int64 = 32
    private static let limit = Int64(RateControlTimeline.clockRate / 2)
    private var sum: Int64

    init(_ interval: Int64) { sum = min(interval, Self.limit) * Self.count }

    var interval: Int64 { sum / Self.count }

    mutating func insert(_ interval: Int64) { sum += min(interval, Self.limit) - self.interval }
}
