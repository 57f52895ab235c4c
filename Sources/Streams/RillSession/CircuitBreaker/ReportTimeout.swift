public import RillCore

/// The first circuit breaker: something is sent, and nobody reports on it (RFC 8083 §4.1).
///
/// Note what is sent and what is reported, and check when ``dueTime`` has come. A packet is sent when it leaves, not
/// when it is queued: a large frame may need longer than ``rest`` to leave, and frames that wait are nothing to report
/// on.
struct ReportTimeout: Sendable {
    /// Since when something has been sent that nobody has reported on; `nil` for nothing.
    private(set) var waitingSince: MediaTime?
    private var lastSent = MediaTime(nanoseconds: .min / 2)
    /// For how long the sender has rested since then.
    private var rested = MediaDuration.zero
    private var isResting = false

    /// Three intervals of reports (RFC 8083 §4.1), for which the minimum interval of 5 s counts, not a reduced one. At
    /// the bitrates of video a computed interval is shorter than that (RFC 3550 §6.2), so that it is always 5 s.
    static let limit = MediaDuration.seconds(15)
    /// A sender that sends nothing for so long rests, and such times do not count: one packet now and then that is lost
    /// is no reason to wait for reports. What was sent before a rest does count: otherwise one rest every 15 s would
    /// buy it all.
    static let rest = MediaDuration.seconds(5)

    /// Notes that a packet leaves.
    @inline(__always)
    mutating func noteSent(at now: MediaTime) {
        if waitingSince == nil {
            (waitingSince, rested) = (now, .zero)
        } else if now - lastSent > ReportTimeout.rest {
            rested = rested + (now - lastSent)
        }
        (lastSent, isResting) = (now, false)
    }

    /// Notes a report on it.
    mutating func noteReport() { waitingSince = nil }

    /// When to check; in the distant future while nothing is waited for.
    @inline(__always)
    var dueTime: MediaTime {
        guard let waitingSince, !isResting else { return .distantFuture }
        return waitingSince + rested + ReportTimeout.limit
    }

    /// Returns for how long something was sent and nothing reported, if that is too long; otherwise `nil`.
    mutating func check(at now: MediaTime) -> MediaDuration? {
        guard let since = waitingSince, dueTime <= now else { return nil }
        guard now - lastSent <= ReportTimeout.rest else {
            isResting = true
            return nil
        }
        waitingSince = nil
        return now - since - rested
    }
}

/// Why a session stopped to send a stream: one of the circuit breakers of RFC 8083 opened, with the numbers that opened
/// it.
public enum CircuitBreak: Hashable, Sendable {
    /// For so long the remote side reported nothing on the stream while it was sent (RFC 8083 §4.1). It resumes as
    /// soon as reports come.
    case reportTimeout(MediaDuration)
    /// So many reports in a row, over that time, show that nothing of what was sent arrives (RFC 8083 §4.2). It is sent
    /// again when a report shows that something arrived.
    case mediaTimeout(reports: Int, MediaDuration)
    /// More than ten times as much was sent as TCP would send over this path (RFC 8083 §4.3), and a tenth did not help.
    ///
    /// - Parameters:
    ///   - sent: the bitrate of the stream, with headers.
    ///   - fair: what TCP would send at that loss and round-trip time.
    ///   - lossPerMille: the lost packets of a thousand.
    case congestion(sent: Bitrate, fair: Bitrate, lossPerMille: Int)
    /// For so long more packets were lost than arrived (RFC 8083 §4.4).
    case unusable(MediaDuration)
}

extension CircuitBreak: CustomStringConvertible {
    /// The reason in a few words.
    public var description: String {
        switch self {
        case .reportTimeout(let silence): "no report for \(silence)"
        case .mediaTimeout(let count, let time): "nothing arrived, say \(count) reports over \(time)"
        case .congestion(let sent, let fair, let lossPerMille):
            "sent \(sent) where TCP would send \(fair), with \(lossPerMille) packets of 1000 lost"
        case .unusable(let time): "more packets were lost than arrived for \(time)"
        }
    }
}
