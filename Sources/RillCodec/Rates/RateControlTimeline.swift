import RillCore

/// Gives each frame its time on the clock that a codec's rate control reads, which sees only when frames begin and end.
///
/// A rate control spends the target bitrate times the duration of each frame. Frames that come unevenly (a camera dropped
/// one, a clip has a variable rate) must neither overlap nor leave a hole there: libvpx takes a hole for a change of the frame
/// rate, and gives the next second of frames the bits of longer ones. So each frame begins where the one before it ended,
/// and gets the time since the frame before it, with two exceptions:
///
/// - Jitter is evened out: an interval within half of the typical one gets the typical duration, and the difference is carried
///   over as ``balance``.
/// - A gap is paid back slowly: with all of its time at once, the frame behind it would be coded many times as large as its
///   neighbours. It and those behind it get half as much again as they would, until nothing is owed; behind a long gap only
///   the first does, and those that follow get a sixth more. Half as much again for a second is more than a network takes that
///   has little room above the target: its queue overflows.
///
/// Frames that come in bunches have the mean interval for their typical one.
///
/// Over time the durations add up to the time that passed, but for what is too long to be paid back. Frames of an even rate get
/// their own stamps and the announced duration. All times are ticks of 90 kHz. One owner; no clock is read.
struct RateControlTimeline {
    /// Ticks a second: those of RTP.
    static let clockRate = 90_000

    /// A frame's time, in ticks. It begins where the frame before ended, but for a tick that rounding may add or take.
    struct Span: Equatable {
        var start: Int64
        /// At least one tick.
        var duration: Int64
        var end: Int64 { start + duration }
    }

    /// The interval that frames are announced to have, in ticks; they may have another one.
    private(set) var frameInterval: Int64
    /// The most time that a gap is paid back.
    private let mostOwed: Int64
    /// What most frames are apart that came last.
    private var usual: Int64
    private var mean: MeanInterval
    private var recent = RecentIntervals()
    private var isChangingRate = false
    /// Time that passed and that no frame was given yet; below zero where frames got some ahead of time.
    private(set) var balance: Int64 = 0
    /// What of it long gaps left.
    private var longOwed: Int64 = 0
    private var previous: MediaTime?
    /// The time from the first frame's stamp to that of the last one.
    private var elapsed = MediaTime.zero
    private var elapsedTicks: Int64 = 0
    /// Where the last frame ended.
    private(set) var end: Int64 = 0
    private var lastStart: Int64 = -1

    /// A gap that leaves more time than this is a long one.
    private static let longGap = ticks(.milliseconds(150))

    /// libvpx takes a rate of less than one frame in ten seconds for 30 frames a second.
    private static let longestInterval = MediaDuration.seconds(10)

    /// - Parameters:
    ///   - frameRate: the rate that frames are announced to have.
    ///   - mostOwed: the most time that gaps are paid back, half of it for long ones; what the rate control's buffer holds.
    init(frameRate: FrameRate, mostOwed: MediaDuration) {
        frameInterval = Self.ticks(frameRate)
        usual = frameInterval
        mean = MeanInterval(frameInterval)
        self.mostOwed = Self.ticks(mostOwed)
    }

    /// Whether no frame came yet.
    var isEmpty: Bool { previous == nil }

    /// Announces another rate, which is taken for typical at once; the same again changes nothing.
    mutating func announce(_ frameRate: FrameRate) {
        let interval = Self.ticks(frameRate)
        guard interval != frameInterval else { return }
        (frameInterval, usual, recent) = (interval, interval, RecentIntervals())
        mean = MeanInterval(interval)
    }

    /// The usual interval, or nearly the mean where that is so much longer that it takes bunches to explain it.
    private var typical: Int64 {
        let least = mean.interval * 3 / 4
        return least > usual * 2 ? least : usual
    }

    /// The time of the next frame. A stamp that does not rise counts as no time passed.
    mutating func span(at captureTime: MediaTime) -> Span {
        let before = end
        end = max(end + grant(of: interval(to: captureTime)), end + 1)
        // Of even frames that are no whole number of ticks apart all have the same duration.
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
        // Rounded as a whole, so that what is cut off does not add up.
        let ticks = elapsed.ticks(rate: Self.clockRate)
        defer { elapsedTicks = ticks }
        recent.insert(ticks - elapsedTicks)
        mean.insert(ticks - elapsedTicks)
        followRate()
        return ticks - elapsedTicks
    }

    /// Takes note of another rate of the source, and of where it settles.
    private mutating func followRate() {
        guard let mean = recent.mean(limit: usual * 2), mean > 0 else { return }
        isChangingRate = isChangingRate ? !isNear(mean, usual, percent: 3) : !isNear(mean, usual)
        if isChangingRate { usual = mean }
    }

    /// What a frame gets of the time that is available with it.
    private mutating func grant(of interval: Int64) -> Int64 {
        let typical = typical
        let interval = interval - cut(from: interval)
        let available = balance + interval
        let overdraft = min(typical, frameInterval)
        var grant = available
        if balance != 0 || !isNear(available, typical) {
            let longest = typical + typical / 2
            if available - longOwed > longest {
                grant = longest
            } else if available > longest {
                grant = typical + typical / 6
            } else if available >= typical - overdraft / 2 {
                grant = typical
            }
            // Of time that is owed a frame may get twice its interval, but not where the source may have become faster, which
            // the typical interval does not know yet.
            let isPaidBack = available > longest && typical <= interval * 2
            let limit = isPaidBack ? interval * 2 : interval + interval / 2
            grant = max(min(grant, max(limit, frameInterval)), frameInterval / 4)
        }
        balance = max(min(available - grant, mostOwed), -overdraft)
        longOwed = max(min(longOwed, balance), 0)
        return grant
    }

    /// Takes note of a long gap, and says how much of it is never paid back.
    private mutating func cut(from interval: Int64) -> Int64 {
        guard interval - typical > Self.longGap else { return 0 }
        // Beside what is owed of it there are the frame's own interval and what it gets above that.
        let owed = max(interval - typical * 2, 0)
        let paidBack = min(owed, mostOwed / 2 - longOwed)
        longOwed += paidBack
        return owed - paidBack
    }

    /// Whether an interval is the typical one but for so much. 15 %: what a source's own rate may be off by; more is jitter, a
    /// gap, or another rate.
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

    /// Their mean without the longest, each counted as `limit` at most, so that a gap or two say nothing about the source's
    /// rate; `nil` before there are nine. Jitter hardly shows in it: what makes one interval longer makes the next shorter.
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

/// The mean of the last thirty or so intervals, in ticks, each counted as half a second at the most.
private struct MeanInterval {
    private static let count: Int64 = 32
    private static let limit = Int64(RateControlTimeline.clockRate / 2)
    private var sum: Int64

    init(_ interval: Int64) { sum = min(interval, Self.limit) * Self.count }

    var interval: Int64 { sum / Self.count }

    mutating func insert(_ interval: Int64) { sum += min(interval, Self.limit) - self.interval }
}
