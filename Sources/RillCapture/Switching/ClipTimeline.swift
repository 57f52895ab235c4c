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
