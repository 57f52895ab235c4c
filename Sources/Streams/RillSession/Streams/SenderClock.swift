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

/// Sender reports that arrived before their SSRC was assigned to a stream. A stream's first report often arrives
/// before its first packet, and the next one only seconds later.
struct EarlyReports {
    private var reports: [Report] = []

    struct Report {
        let ssrc: SSRC
        let clock: SenderClock
    }

    /// The SSRCs of a foreign sender can only displace each other.
    static let limit = 8

    /// Keeps the newest report of each recent SSRC.
    mutating func keep(_ clock: SenderClock, of ssrc: SSRC) {
        reports.removeAll { $0.ssrc == ssrc }
        if reports.count == Self.limit { reports.removeFirst() }
        reports.append(Report(ssrc: ssrc, clock: clock))
    }

    /// Takes out the report of an SSRC.
    mutating func take(_ ssrc: SSRC) -> SenderClock? {
        guard let index = reports.firstIndex(where: { $0.ssrc == ssrc }) else { return nil }
        return reports.remove(at: index).clock
    }

    var count: Int { reports.count }
}
