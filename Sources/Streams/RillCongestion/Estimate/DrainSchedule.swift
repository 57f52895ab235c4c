import RillCore

/// When to drain the queue, so that the base delay shows itself under jitter. The purpose is that of BBR's ProbeRTT.
///
/// Under jitter, a slowly growing queue looks like a longer path: after some time it is part of the usual delay. So
/// the rate drops for a moment whenever the usual delay has risen.
struct DrainSchedule: Sendable {
    /// The end of the present drain.
    private var end = MediaTime(nanoseconds: .min / 2)
    private var next: MediaTime?
    /// The lowest usual delay since the last drain, in seconds.
    private var reference: Double?
    /// The start of the present rise of the usual delay.
    private var risenSince: MediaTime?

    private static let length = MediaDuration.milliseconds(500)
    /// The time after a drain until the usual delay is a valid reference: the queue refills and the averages follow.
    private static let recovery = MediaDuration.seconds(2)
    private static let interval = MediaDuration.seconds(8)
    /// A smaller rise causes no drain, in seconds.
    private static let rise = 0.025
    /// A shorter rise is jitter.
    private static let minimumRiseDuration = MediaDuration.seconds(1)
    /// The rate during a drain, as a share of the acknowledged rate.
    static let share = 0.7

    /// Whether a drain is running.
    func isOn(at now: MediaTime) -> Bool { now < end }

    /// Updates the schedule, after the packets of a feedback.
    ///
    /// - Parameters:
    ///   - usual: the usual one-way delay in seconds. Its origin is arbitrary.
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
