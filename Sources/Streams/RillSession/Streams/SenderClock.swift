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
    /// The rate of the media clock.
    public internal(set) var clockRate: ClockRate

    init(_ report: SenderReport, _ clockRate: ClockRate, at arrival: MediaTime) {
        ntpTimestamp = report.ntpTimestamp
        rtpTimestamp = report.rtpTimestamp
        self.arrival = arrival
        self.clockRate = clockRate
    }

    /// Returns the sender's wall clock time for a media clock time.
    ///
    /// - Parameter timestamp: the media clock, within half its range (6.5 hours at 90 kHz) of the report.
    /// - Returns: the wall clock time.
    public func wallClock(of timestamp: RTPTimestamp) -> NTPTimestamp {
        let ticks = Int64(Int32(bitPattern: timestamp.rawValue &- rtpTimestamp.rawValue))
        return ntpTimestamp.advanced(byNanoseconds: clockRate.wholeNanoseconds(of: ticks))
    }
}
