import RillCore
import RillRTP

/// The media clock of one stream, and its relation to the pipeline's clock and to wall clock time.
///
/// RTP timestamps follow the capture times, which use the source's clock; for a clip they start with the clip.
/// Reports use the pipeline's clock. A frame with both a capture time and a `captured` timestamp gives the offset
/// between the two. A frame without that timestamp was captured on the pipeline's clock.
struct MediaClock {
    private let timestampOffset: RTPTimestamp
    /// The rate of the timestamps.
    private let rate: ClockRate
    /// The wall clock time at zero of the pipeline's clock.
    let wallClockAtZero: NTPTimestamp
    /// The pipeline's clock minus the source's clock.
    private var sourceLag = MediaDuration.zero

    init(timestampOffset: RTPTimestamp, rate: ClockRate, wallClockAtZero: NTPTimestamp) {
        self.timestampOffset = timestampOffset
        self.rate = rate
        self.wallClockAtZero = wallClockAtZero
    }

    /// Updates the offset between the clocks.
    mutating func note(captureTime: MediaTime, captured: MediaTime?) {
        sourceLag = (captured ?? captureTime) - captureTime
    }

    /// Returns the timestamp of a picture with that capture time.
    func timestamp(ofCapture captureTime: MediaTime) -> RTPTimestamp {
        timestampOffset.advanced(by: rate.ticks(of: captureTime))
    }

    /// Returns the timestamp of a picture captured at `now` on the pipeline's clock.
    func timestamp(at now: MediaTime) -> RTPTimestamp { timestamp(ofCapture: now - sourceLag) }

    /// Returns the wall clock time at `now` on the pipeline's clock.
    func wallClock(at now: MediaTime) -> NTPTimestamp {
        wallClockAtZero.advanced(byNanoseconds: now.nanoseconds)
    }
}
