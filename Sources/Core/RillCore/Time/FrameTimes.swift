/// A clip's picture times, made strictly increasing.
///
/// Files are untrusted: clips are joined without fixing their timestamps, and counters wrap. If a timestamp goes back
/// further than reordered pictures do, a new clip starts: its first picture follows the last one at the usual
/// interval, and all later ones keep their distances. A timestamp that goes back by less, or does not advance,
/// becomes the previous time plus one nanosecond.
package struct IncreasingTimes: Sendable {
    /// The interval between pictures if nothing else is known.
    private let interval: MediaDuration
    /// The offset added to each timestamp, in nanoseconds.
    private var shift: Int64 = 0
    private var last: Int64?

    /// The furthest that reordered pictures may go back.
    static let reorderingTolerance = MediaDuration.milliseconds(100)

    package init(interval: MediaDuration) {
        self.interval = interval
    }

    /// Returns the time of the next picture with that timestamp; without a timestamp, one interval after the last.
    package mutating func time(of stamp: MediaTime?) -> MediaTime {
        guard let stamp = stamp?.nanoseconds else {
            let time = last.map { $0 &+ interval.nanoseconds } ?? 0
            last = time
            return MediaTime(nanoseconds: time)
        }
        // Timestamps may be anything: if the sum overflows, any other value is as good.
        var time = stamp &+ shift
        if let last, time <= last {
            let (fall, isTooLarge) = last.subtractingReportingOverflow(time)
            if isTooLarge || fall > IncreasingTimes.reorderingTolerance.nanoseconds {
                time = last &+ interval.nanoseconds
                shift = time &- stamp
            } else {
                time = last &+ 1
            }
        }
        last = time
        return MediaTime(nanoseconds: time)
    }
}

/// The length of a sequence of frames: from the first to the last, plus the mean frame duration for the last one.
package struct MediaSpan: Sendable {
    private var first: MediaTime?
    private var last = MediaTime.zero
    private var count = 0

    package init() {}

    /// Adds the next frame.
    package mutating func add(_ captureTime: MediaTime) {
        first = first ?? captureTime
        last = captureTime
        count += 1
    }

    /// Adds the frames that follow.
    package mutating func add(_ next: MediaSpan) {
        guard let nextFirst = next.first else { return }
        first = first ?? nextFirst
        last = next.last
        count += next.count
    }

    /// The length so far; zero for a single frame.
    package var duration: MediaDuration {
        guard let first, count > 1 else { return .zero }
        let length = Int128(last.nanoseconds) - Int128(first.nanoseconds)
        return MediaDuration(nanoseconds: Int64(clamping: length * Int128(count) / Int128(count - 1)))
    }
}
