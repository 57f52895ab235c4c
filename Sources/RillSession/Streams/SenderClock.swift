public import RillCore
public import RillRTP

/// The relation of a stream's media clock to its sender's wall clock, from its newest sender report (RFC 3550
/// §6.4.1).
///
/// It aligns the streams of one endpoint.
public struct SenderClock: Equatable, Sendable {
    /// The sender's wall clock.
    public let ntpTimestamp: NTPTimestamp
    /// The media clock at that moment.
    public let rtpTimestamp: RTPTimestamp
    /// When the report arrived, on this session's clock.
    public let arrival: MediaTime

    init(_ report: SenderReport, at arrival: MediaTime) {
        ntpTimestamp = report.ntpTimestamp
        rtpTimestamp = report.rtpTimestamp
        self.arrival = arrival
    }

    /// Returns the sender's wall clock time for a media clock time.
    ///
    /// - Parameters:
    ///   - timestamp: the media clock, within half its range (6.5 hours at 90 kHz) of the report.
    ///   - rate: ticks of the media clock per second; 90 kHz by default.
    /// - Returns: the wall clock time.
    public func wallClock(
        of timestamp: RTPTimestamp, rate: Int = RTPTimestamp.videoClockRate
    ) -> NTPTimestamp {
        let ticks = Int64(Int32(bitPattern: timestamp.rawValue &- rtpTimestamp.rawValue))
        return ntpTimestamp.advanced(byNanoseconds: ticks * 1_000_000_000 / Int64(rate))
    }
}
