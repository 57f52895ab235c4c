import RillCore

/// The times of frames that follow each other, and how long the last one is shown. A pure value.
struct FrameSuccession: Sendable {
    /// When the last frame stands.
    private(set) var last: MediaTime?
    /// How long the frame before it was shown.
    private var step: MediaDuration?

    /// How long the only frame of a clip without a rate is shown.
    private static let fallback = FrameRate(30).interval
    /// Files come from strangers: one that claims a frame a nanosecond is not played again, nor its last frame held, as
    /// fast as it can be read.
    private static let shortest = MediaDuration.milliseconds(1)

    /// The time of a frame that should stand at `time`: one that goes back, or stands still, comes right behind the last.
    func rising(_ time: MediaTime) -> MediaTime {
        guard let last, time <= last else { return time }
        return last + MediaDuration(nanoseconds: 1)
    }

    /// A frame of that time, which rises, was given.
    mutating func advance(to time: MediaTime) {
        if let last {
            let (value, isOut) = time.nanoseconds.subtractingReportingOverflow(last.nanoseconds)
            step = MediaDuration(nanoseconds: isOut ? .max : value)
        }
        last = time
    }

    /// When the last frame was shown for its time: an interval of the clip's rate, where it has one, else as long as the
    /// frame before it. `nil` where there is no frame, or no such time (292 years).
    func end(_ rate: FrameRate?) -> MediaTime? {
        guard let last else { return nil }
        let duration = max(rate?.interval ?? step ?? FrameSuccession.fallback, FrameSuccession.shortest)
        let (value, isOut) = last.nanoseconds.addingReportingOverflow(duration.nanoseconds)
        return isOut || value == .max ? nil : MediaTime(nanoseconds: value)
    }
}
