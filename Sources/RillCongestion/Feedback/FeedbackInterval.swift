public import RillCore

/// When feedback is due: every 50 ms while ``shareLimit`` of the received bitrate allows that, and less often below, at least every
/// second. At 130 kbit/s that is every 100 ms.
///
/// Feedback is due only while there is something to report. What a sender rests does not count as time without bytes: the feedback behind
/// a rest would else be followed by a second without any. A pure value: it reads no clock.
public struct FeedbackInterval: Sendable {
    /// The shortest time between two feedbacks.
    public static let shortest = MediaDuration.milliseconds(50)
    /// The longest time between two feedbacks.
    public static let longest = MediaDuration.seconds(1)
    /// The share of the received bitrate that feedback may take, in percent.
    public static let shareLimit = 5
    /// Bytes of a datagram besides the feedback packet: IP and UDP headers, and what SRTCP adds.
    private static let overhead = 28 + 20

    /// When the next feedback is due; in the distant future while nothing is to be reported.
    @usableFromInline var dueTime = MediaTime.distantFuture

    @usableFromInline var lastTime: MediaTime?
    /// From when the received bytes are counted: the last feedback, or one interval before the packet that ended a rest.
    @usableFromInline var countedFrom: MediaTime?
    /// The received bytes since the last feedback.
    @usableFromInline var receivedByteCount = 0
    @usableFromInline var interval = FeedbackInterval.shortest

    /// Notes a packet that is to be reported.
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

    /// Ends being due: there is nothing to report after all.
    mutating func cancel() { dueTime = .distantFuture }

    /// Notes a feedback packet of so many bytes.
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
