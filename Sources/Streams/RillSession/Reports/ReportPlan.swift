import RillCore

/// The schedule of reports (RFC 3550 §6.2, RFC 4585 §3.4): one in each interval, earlier if something waits for it,
/// and never closer together than ``spacing``.
struct ReportPlan {
    /// When the next report is due.
    private(set) var next = MediaTime.distantFuture
    private var last: MediaTime?
    private let interval: MediaDuration
    private let spacing: MediaDuration

    init(interval: MediaDuration) {
        self.interval = interval
        spacing = min(.milliseconds(100), interval)
    }

    /// Requires a report by `time`, or as soon as allowed.
    mutating func require(by time: MediaTime) {
        next = min(next, last.map { max(time, $0 + spacing) } ?? time)
    }

    /// Makes the next report due at once: its content was not available before.
    mutating func require(at now: MediaTime) { next = min(next, now) }

    /// Notes that a report is sent now.
    ///
    /// - Parameters:
    ///   - now: the current time.
    ///   - scatter: a random value from 0 to 1, which shortens the interval by up to 20 %.
    ///   - repeats: whether another report follows without further cause.
    mutating func noteReport(at now: MediaTime, scatter: Double, repeats: Bool) {
        last = now
        let nanoseconds = Double(interval.nanoseconds) * (1 - 0.2 * scatter)
        next = repeats ? now + MediaDuration(nanoseconds: Int64(nanoseconds)) : .distantFuture
    }
}
