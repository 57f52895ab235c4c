import RillCore
import RillRTP

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
