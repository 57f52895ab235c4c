import RillCore

/// When little is sent for a moment, so that an empty path shows itself where jitter hides the queue.
///
/// A queue that grows slowly looks like a longer path there: after some time it is what is usual. So whenever the usual time has risen, it is
/// put to the test.
struct DrainSchedule: Sendable {
    /// Until when little is sent.
    private var end = MediaTime(nanoseconds: .min / 2)
    private var next: MediaTime?
    /// The lowest usual time since the last test, in seconds.
    private var reference: Double?
    /// Since when the usual time is higher.
    private var risenSince: MediaTime?

    private static let length = MediaDuration.milliseconds(500)
    /// What has to come back before the usual time is taken as a reference.
    private static let recovery = MediaDuration.seconds(2)
    private static let interval = MediaDuration.seconds(8)
    /// A smaller rise is left alone, in seconds.
    private static let rise = 0.025
    /// A rise that is over sooner was jitter.
    private static let minimumRiseDuration = MediaDuration.seconds(1)
    /// The share of the rate that is sent meanwhile.
    static let share = 0.7

    /// Whether little is sent.
    func isOn(at now: MediaTime) -> Bool { now < end }

    /// Follows the usual time of packets on the path, after the packets of a feedback.
    ///
    /// - Parameters:
    ///   - usual: the usual time, in seconds; only differences count.
    ///   - now: the current time.
    mutating func update(usual: Double, at now: MediaTime) {
        guard let next else {
            self.next = now + DrainSchedule.interval
            return
        }
        guard let reference else {
            if now >= end + DrainSchedule.recovery { self.reference = usual }
            return
        }
        if usual < reference { self.reference = usual }
        guard usual > reference + DrainSchedule.rise else {
            risenSince = nil
            return
        }
        let since = risenSince ?? now
        risenSince = since
        guard now >= next, now - since >= DrainSchedule.minimumRiseDuration else { return }
        (end, self.next) = (now + DrainSchedule.length, now + DrainSchedule.interval)
        (self.reference, risenSince) = (nil, nil)
    }
}
