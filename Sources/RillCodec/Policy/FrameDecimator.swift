public import RillCore

/// Thins a stream of frames out to a lower rate, by their stamps alone.
///
/// The wanted frames lie on a grid of the target's interval; of the frames that come, the nearest to each grid point is
/// taken. So the mean rate is exact from any source rate, variable ones too, and a camera's jitter does not add up. A
/// source slower than the target passes whole.
///
///     var decimator = FrameDecimator(rate: 5)
///     if decimator.wants(frame.captureTime) { encode(frame) }
public struct FrameDecimator: Sendable {
    /// The most frames a second to let through; `nil` lets every frame through.
    public var rate: FrameRate? {
        didSet { if rate != oldValue { due = nil } }
    }
    private var due: MediaTime?
    private var previous: MediaTime?
    /// Where the grid begins, if not at the first frame.
    private var origin: MediaTime?

    /// A decimator that takes the first frame it sees and counts its grid from there.
    public init(rate: FrameRate?) {
        self.rate = rate
    }

    /// Counts the grid from `time`, before the first frame is asked for: for a source that begins in the middle of a clip.
    package mutating func align(to time: MediaTime) { origin = time }

    /// Whether the frame of that stamp is one of those to keep. Ask once for each frame, in order.
    public mutating func wants(_ time: MediaTime) -> Bool {
        defer { previous = time }
        guard let interval = rate?.interval else { return true }
        guard let due, let previous, time > previous else {
            if previous == nil, let origin, origin < time {
                // Which frame took the grid points until now nobody knows; the next ones are sure.
                self.due = origin + interval * Int((time - origin).nanoseconds / interval.nanoseconds + 1)
                return false
            }
            // The first frame, or one after the source's clock was set back: the grid starts here.
            self.due = time + interval
            return true
        }
        // Nearest to its grid point is the frame that lies less than half a source interval before it, or after it.
        guard time + (time - previous) / 2 >= due else { return false }
        // A pause is not made up for, but a frame that came late by less than an interval was not the last chance.
        let missed = max(0, (time - due).nanoseconds / interval.nanoseconds)
        self.due = due + interval * Int(missed + 1)
        return true
    }
}
