public import RillCore

/// When feedback is due: every 50 ms while this takes at most ``shareLimit`` of the received bitrate. Below that
/// bitrate it is due less often, at least every second. At 130 kbit/s the interval is 100 ms. GCC uses the same 5 %.
///
/// Feedback is due only while there is something to report. A pause of the sender does not count as time without
/// bytes. Otherwise the feedback after a pause would be followed by a second without any. It is a pure value and
/// reads no clock.
public struct FeedbackInterval: Sendable {
    /// The shortest time between two feedbacks.
    public static let shortest = MediaDuration.milliseconds(50)
    /// The longest time between two feedbacks.
    public static let longest = MediaDuration.seconds(1)
    /// The maximum share of the received bitrate that feedback takes, in percent.
    public static let shareLimit = 5
    /// The bytes of a datagram beside the feedback packet: IP and UDP headers, and the overhead of SRTCP.
    private static let overhead = 28 + 20

    /// When the next feedback is due; in the distant future while there is nothing to report.
    @usableFromInline var dueTime = MediaTime.distantFuture

    @usableFromInline var lastTime: MediaTime?
    /// The start of the received bytes: the last feedback, or one interval before the packet that ended a pause.
    @usableFromInline var countedFrom: MediaTime?
    /// The received bytes since the last feedback.
    @usableFromInline var receivedByteCount = 0
    @usableFromInline var interval = FeedbackInterval.shortest

    /// Records the arrival of a packet that must be reported.
    @inlinable @inline(__always)
    mutating func recordReceived(_ byteCount: Int, at arrival: MediaTime) {
        receivedByteCount &+= byteCount
        guard dueTime == .distantFuture else { return }
        guard let lastTime else {
            dueTime = arrival
            return
        }
        dueTime = max(arrival, lastTime + interval)
        countedFrom = max(lastTime, arrival - interval)
    }

    /// Cancels the due feedback: there is nothing to report after all.
    mutating func cancel() { dueTime = .distantFuture }

    /// Records a feedback packet of a size in bytes.
    mutating func recordSent(_ byteCount: Int, at now: MediaTime) {
        if let countedFrom, receivedByteCount > 0, now > countedFrom {
            let share = Double((byteCount + FeedbackInterval.overhead) * 100)
            let allowed = Double(receivedByteCount * FeedbackInterval.shareLimit)
            let nanoseconds = Double((now - countedFrom).nanoseconds) * share / allowed
            let needed = MediaDuration(nanoseconds: Int64(min(nanoseconds, 1e12)))
            interval = min(max(needed, FeedbackInterval.shortest), FeedbackInterval.longest)
        }
        receivedByteCount = 0
        (lastTime, dueTime) = (now, .distantFuture)
    }
}
