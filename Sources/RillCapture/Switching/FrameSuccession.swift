import RillCore

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
