import RillCore
import RillRTP

/// The media clock of one stream, and how it stands to the pipeline's clock and to wall time.
///
/// RTP timestamps follow the capture times, which are on the clock of the source: a clip's begin with the clip. Reports
/// are made by the pipeline's clock. A frame that bears both (its capture time and the stamp of its capture) says how
/// far the two are apart; one without the stamp was captured on the pipeline's clock.
struct MediaClock {
    private let timestampOffset: RTPTimestamp
    /// Wall time at zero of the pipeline's clock.
    var wallClockAtZero: NTPTimestamp
    /// Pipeline's clock less source's clock.
    private var sourceLag = MediaDuration.zero

    init(timestampOffset: RTPTimestamp, wallClockAtZero: NTPTimestamp) {
        self.timestampOffset = timestampOffset
        self.wallClockAtZero = wallClockAtZero
    }

    /// Learns how far the clocks are apart.
    mutating func note(_ frame: EncodedFrame) {
        sourceLag = (frame.stamps[.captured] ?? frame.captureTime) - frame.captureTime
    }

    /// The timestamp of a picture, from its capture time.
    func timestamp(ofCapture captureTime: MediaTime) -> RTPTimestamp {
        timestampOffset.advanced(by: captureTime.ticks(rate: RTPTimestamp.videoClockRate))
    }

    /// The timestamp that a picture would bear that was captured at `now` on the pipeline's clock.
    func timestamp(at now: MediaTime) -> RTPTimestamp { timestamp(ofCapture: now - sourceLag) }

    /// Wall time at `now` on the pipeline's clock.
    func wallClock(at now: MediaTime) -> NTPTimestamp {
        wallClockAtZero.advanced(byNanoseconds: now.nanoseconds)
    }
}
