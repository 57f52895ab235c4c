import RillCore

/// The first circuit breaker: something is sent, and nobody reports on it (RFC 8083 §4.1).
///
/// Note what is sent and what is reported, and check when ``dueTime`` has come.
struct ReportTimeout: Sendable {
    /// Since when something has been sent that nobody has reported on; `nil` for nothing.
    private(set) var waitingSince: MediaTime?
    private(set) var lastSent = MediaTime(nanoseconds: .min / 2)

    /// Three intervals of reports, of which each is at least 5 s (RFC 8083 §4.1). At the bitrates of video a computed
    /// interval is shorter (RFC 3550 §6.2), so that it is always 5 s.
    static let limit = MediaDuration.seconds(15)
    /// A sender that sends nothing for so long has rested: one packet that was lost before is no reason to wait for reports.
    static let rest = MediaDuration.seconds(5)

    /// Notes that something is sent.
    @inline(__always)
    mutating func noteSent(at now: MediaTime) {
        if waitingSince == nil || now - lastSent > ReportTimeout.rest { waitingSince = now }
        lastSent = now
    }

    /// Notes a report on it.
    mutating func noteReport() { waitingSince = nil }

    /// When to check; in the distant future while nothing is waited for.
    @inline(__always)
    var dueTime: MediaTime { waitingSince.map { $0 + ReportTimeout.limit } ?? .distantFuture }

    /// Returns how long nothing was reported if that is too long; otherwise `nil`.
    mutating func check(at now: MediaTime) -> MediaDuration? {
        guard let since = waitingSince, dueTime <= now else { return nil }
        waitingSince = nil
        return now - lastSent > ReportTimeout.rest ? nil : now - since
    }
}
