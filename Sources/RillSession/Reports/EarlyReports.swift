import RillCore
import RillRTP

/// Sender reports that came before anybody knew whose source they are of: a stream's first one often comes before its first packet,
/// and the next only after seconds.
struct EarlyReports {
    private var reports: [Report] = []

    struct Report {
        let ssrc: SSRC
        let clock: SenderClock
    }

    /// A stranger's sources push out no more than each other.
    static let limit = 8

    /// Keeps the newest report of each of the last sources.
    mutating func keep(_ clock: SenderClock, of ssrc: SSRC) {
        reports.removeAll { $0.ssrc == ssrc }
        if reports.count == Self.limit { reports.removeFirst() }
        reports.append(Report(ssrc: ssrc, clock: clock))
    }

    /// Takes out what a source has said.
    mutating func take(_ ssrc: SSRC) -> SenderClock? {
        guard let index = reports.firstIndex(where: { $0.ssrc == ssrc }) else { return nil }
        return reports.remove(at: index).clock
    }

    var count: Int { reports.count }
}
