import RillCore

/// Detects that the path has stalled: for much longer than usual no packet was reported, or only packets that are as
/// old.
///
/// Radio links stall, for a handover or in a fade, and let a packet through now and then. What is sent meanwhile only
/// waits, and delays what is sent after it. The measure is the age of the newest packet with a known outcome while
/// newer ones have none: an RTT, the queue and a feedback interval. Where it is usually long, as behind a queue that
/// others fill, it must exceed that.
@usableFromInline
struct PathStall: Sendable {
    /// The send time of the oldest packet without a report that is newer than all with one; in the distant future
    /// while there is none.
    @usableFromInline var unreportedSince = MediaTime.distantFuture
    /// The usual age of the newest reported packet, in seconds.
    private var usual = 0.0
    private var lastReport: MediaTime?
    /// The reports in a row during a stall, and the smallest age in them.
    private var late = (count: 0, smallest: Double.infinity)

    /// The age beyond the usual one at which the path has stalled, in seconds.
    private static let limit = 0.25
    /// The time constant of the usual age, in seconds.
    private static let time = 1.0
    /// After this many late reports in a row, three seconds of them, the age is the usual one: the path is longer.
    private static let mostLate = 64
    /// The interval of feedback is this over the rate: its bits, at 5 % of the received ones.
    private static let feedbackBits = 640 / 0.05

    /// Records a packet that is sent now.
    @inlinable @inline(__always)
    mutating func recordSent(at now: MediaTime) {
        if unreportedSince == .distantFuture { unreportedSince = now }
    }

    /// Records a feedback.
    ///
    /// - Parameters:
    ///   - latest: the send time of the newest packet with a known outcome.
    ///   - lastSent: that of the last packet.
    ///   - roundTrip: the RTT in seconds.
    ///   - rate: the acknowledged rate in bits per second.
    ///   - now: the current time.
    mutating func recordReport(
        of latest: MediaTime, lastSent: MediaTime, roundTrip: Double, rate: Double, at now: MediaTime
    ) {
        guard unreportedSince != .distantFuture, latest >= unreportedSince else { return }
        unreportedSince = latest < lastSent ? latest : .distantFuture
        let age = (now - latest).seconds
        let elapsed = lastReport.map { min((now - $0).seconds, 0.2) } ?? 0.2
        lastReport = now
        guard age > threshold(roundTrip: roundTrip, rate: rate) else {
            late = (0, .infinity)
            usual += (age - usual) * elapsed / (PathStall.time + elapsed)
            return
        }
        late = (late.count + 1, min(late.smallest, age))
        guard late.count >= PathStall.mostLate else { return }
        (usual, late) = (late.smallest, (0, .infinity))
    }

    /// Whether the path has stalled.
    ///
    /// - Parameters:
    ///   - roundTrip: the RTT in seconds.
    ///   - rate: the acknowledged rate in bits per second.
    ///   - now: the current time.
    func isOn(roundTrip: Double, rate: Double, at now: MediaTime) -> Bool {
        // Before the first report nothing is usual, and a peer that sends no feedback never reports.
        guard lastReport != nil, unreportedSince != .distantFuture else { return false }
        return (now - unreportedSince).seconds > threshold(roundTrip: roundTrip, rate: rate)
    }

    private func threshold(roundTrip: Double, rate: Double) -> Double {
        max(roundTrip, usual) + 2 * min(max(PathStall.feedbackBits / max(rate, 1), 0.05), 0.5) + PathStall.limit
    }
}
