import RillCore

/// When reports leave (RFC 3550 §6.2, RFC 4585 §3.4): one in each interval, sooner where something waits for it, and never
/// closer together than ``spacing``.
struct ReportPlan {
    /// When the next one is due.
    private(set) var next = MediaTime.distantFuture
    private var last: MediaTime?
    private let interval: MediaDuration
    private let spacing: MediaDuration

    init(interval: MediaDuration) {
        self.interval = interval
        spacing = min(.milliseconds(100), interval)
    }

    /// A report is to leave by `time`, or as soon as it may.
    mutating func require(by time: MediaTime) {
        next = min(next, last.map { max(time, $0 + spacing) } ?? time)
    }

    /// The next one is due at once: what it says was not there to be said before.
    mutating func require(at now: MediaTime) { next = min(next, now) }

    /// A report leaves now.
    ///
    /// - Parameters:
    ///   - scatter: from 0 to 1.
    ///   - continuesFrame: whether another one follows by itself.
    mutating func noteReport(at now: MediaTime, scatter: Double, continuesFrame: Bool) {
        last = now
        let nanoseconds = Double(interval.nanoseconds) * (1 - 0.2 * scatter)
        next = continuesFrame ? now + MediaDuration(nanoseconds: Int64(nanoseconds)) : .distantFuture
    }
}
