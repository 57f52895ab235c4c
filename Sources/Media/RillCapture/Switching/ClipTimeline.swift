import RillCore

/// The times of a clip's frames when it loops or its last frame is held: strictly increasing. A pure value.
struct ClipTimeline: Sendable {
    private var frames = FrameSuccession()
    /// The time of the first frame of this playback; `nil` to use its own timestamp.
    private var start: MediaTime?
    /// The offset added to the timestamps of this playback; unknown before its first frame.
    private var shift: Int64?

    /// Returns the time of the next frame with that timestamp. Returns `nil` if it is beyond the range of times (292
    /// years).
    mutating func place(_ stamp: MediaTime) -> MediaTime? {
        let (shift, isShiftOut) = self.shift.map { ($0, false) } ?? newShift(stamp)
        let (value, isOut) = stamp.nanoseconds.addingReportingOverflow(shift)
        guard !isShiftOut, !isOut, value < .max else { return nil }
        self.shift = shift
        let time = frames.rising(MediaTime(nanoseconds: value))
        frames.advance(to: time)
        return time
    }

    private func newShift(_ stamp: MediaTime) -> (Int64, Bool) {
        guard let start else { return (0, false) }
        return start.nanoseconds.subtractingReportingOverflow(stamp.nanoseconds)
    }

    /// Starts another playback. Its first frame is due when the last one has been shown for its duration.
    ///
    /// - Parameter rate: the clip's frame rate, if known.
    /// - Returns: whether that time is in range.
    mutating func playAgain(_ rate: FrameRate?) -> Bool {
        guard let end = frames.end(rate) else { return false }
        start = end
        shift = nil
        return true
    }

    /// Returns the time at which the last frame is shown once more; `nil` if there is none.
    mutating func hold(_ rate: FrameRate?) -> MediaTime? {
        guard let end = frames.end(rate) else { return nil }
        frames.advance(to: end)
        return end
    }
}

/// The times of consecutive frames, and the duration of the last one. A pure value.
struct FrameSuccession: Sendable {
    /// The time of the last frame.
    private(set) var last: MediaTime?
    /// The duration of the frame before the last.
    private var step: MediaDuration?

    /// The duration of the only frame of a clip without a rate.
    private static let fallback = FrameRate(30).interval
    /// Files are untrusted. A clip with a declared rate of one frame per nanosecond must not be looped or held as
    /// fast as it can be read.
    private static let shortest = MediaDuration.milliseconds(1)

    /// Returns `time`, or if it does not advance, the previous time plus one nanosecond.
    func rising(_ time: MediaTime) -> MediaTime {
        guard let last, time <= last else { return time }
        return last + MediaDuration(nanoseconds: 1)
    }

    /// Records a frame at that time, which must be later than the last.
    mutating func advance(to time: MediaTime) {
        if let last {
            let (value, isOut) = time.nanoseconds.subtractingReportingOverflow(last.nanoseconds)
            step = MediaDuration(nanoseconds: isOut ? .max : value)
        }
        last = time
    }

    /// Returns when the last frame has been shown for its duration: an interval of the clip's rate, or else the
    /// duration of the frame before it. Returns `nil` if there is no frame, or no such time (292 years).
    func end(_ rate: FrameRate?) -> MediaTime? {
        guard let last else { return nil }
        let duration = max(rate?.interval ?? step ?? FrameSuccession.fallback, FrameSuccession.shortest)
        let (value, isOut) = last.nanoseconds.addingReportingOverflow(duration.nanoseconds)
        return isOut || value == .max ? nil : MediaTime(nanoseconds: value)
    }
}
