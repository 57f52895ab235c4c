import RillCore

/// The times of a clip's frames when it is played over and over, or its last frame is held: they always rise. A pure value.
struct ClipTimeline: Sendable {
    private var frames = FrameSuccession()
    /// When the first frame of this playing stands; `nil` for where its own stamp says.
    private var start: MediaTime?
    /// What is added to the stamps of this playing; not known before its first frame.
    private var shift: Int64?

    /// The time of the next frame, which bears `stamp`; `nil` where it is later than a time can say (292 years).
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

    /// The clip is played again: its first frame comes when the last one was shown for its time.
    ///
    /// - Returns: whether there is a time for it.
    mutating func playAgain(_ rate: FrameRate?) -> Bool {
        guard let end = frames.end(rate) else { return false }
        start = end
        shift = nil
        return true
    }

    /// The time of the last frame when it is shown once more; `nil` where there is none.
    mutating func hold(_ rate: FrameRate?) -> MediaTime? {
        guard let end = frames.end(rate) else { return nil }
        frames.advance(to: end)
        return end
    }
}
