public import RillCore
public import RillRTP

/// How a stream's media clock stands to its sender's wall clock, as its newest sender report told (RFC 3550 §6.4.1): what streams
/// of one endpoint are aligned by.
public struct SenderClock: Equatable, Sendable {
    /// The sender's wall clock.
    public let ntpTimestamp: NTPTimestamp
    /// The media clock at that moment.
    public let rtpTimestamp: RTPTimestamp
    /// When the report came, on this session's clock.
    public let arrival: MediaTime

    init(_ report: SenderReport, at arrival: MediaTime) {
        ntpTimestamp = report.ntpTimestamp
        rtpTimestamp = report.rtpTimestamp
        self.arrival = arrival
    }

    /// The sender's wall clock when the media clock showed `timestamp`, for a media clock of `rate` ticks a second; to be used
    /// for times within half a turn of the clock (6 hours and a half at 90 kHz) from the report.
    public func wallClock(
        of timestamp: RTPTimestamp, rate: Int = RTPTimestamp.videoClockRate
    ) -> NTPTimestamp {
        let ticks = Int64(Int32(bitPattern: timestamp.rawValue &- rtpTimestamp.rawValue))
        return ntpTimestamp.advanced(byNanoseconds: ticks * 1_000_000_000 / Int64(rate))
    }
}
