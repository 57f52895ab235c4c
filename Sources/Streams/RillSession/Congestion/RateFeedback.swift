import RillCore
import RillRTP

/// What the bitrate of a session's congestion control follows.
public enum RateFeedback: String, Codable, Sendable, CaseIterable {
    /// Nothing yet: the bitrate stays at its start, or at what is sent without feedback.
    case none
    /// Transport-wide feedback.
    case transportWide
    /// Feedback by stream (RFC 8888).
    case byStream
    /// Receiver reports (RFC 3550 §6.4.2): loss, round trip and jitter.
    case receiverReports
    /// Receiver reports, below the receiver's estimate (REMB).
    case maximumBitrate
}

extension RateFeedback: CustomStringConvertible {
    /// In a few words: `receiver reports`.
    public var description: String {
        switch self {
        case .none: "nothing"
        case .transportWide: "transport-wide feedback"
        case .byStream: "feedback by stream"
        case .receiverReports: "receiver reports"
        case .maximumBitrate: "REMB and receiver reports"
        }
    }
}

/// Decides whether the rate follows reception reports: if no feedback of packets was negotiated, or none comes though
/// reports do.
struct ReportFallback: Sendable {
    /// The kind that was negotiated.
    private let negotiated: StreamDescription.CongestionFeedback?
    /// Whether the rate follows reports, if they come.
    private(set) var isActive: Bool
    /// Whether feedback of the negotiated kind came.
    private(set) var hasFeedback = false
    private var hasReports = false
    /// When the first report came that shows arrivals, before any feedback.
    private var firstReport: MediaTime?
    /// What the rate follows.
    private(set) var source = RateFeedback.none

    /// How long reports come before feedback is taken not to come. That comes every 50 to 250 ms, so it would be there.
    private static let feedbackTimeout = MediaDuration.seconds(1)

    private var isWaitOver = false
    /// Whether the wait for feedback is over, none came, and reports do not replace it yet.
    var isUnheard: Bool { isWaitOver && !isActive && !hasFeedback }

    /// Ends the wait for feedback; returns ``isUnheard``.
    mutating func endWait() -> Bool {
        isWaitOver = true
        return isUnheard
    }

    init(_ negotiated: StreamDescription.CongestionFeedback?) {
        self.negotiated = negotiated
        isActive = negotiated == nil
    }

    /// Records feedback of the negotiated kind.
    mutating func noteFeedback() { (hasFeedback, isActive) = (true, false) }

    /// Records a reception report.
    mutating func noteReport(hasProgress: Bool, at now: MediaTime) {
        guard !hasFeedback, hasProgress else { return }
        let first = firstReport ?? now
        firstReport = first
        if now - first >= ReportFallback.feedbackTimeout { isActive = true }
        if isActive { hasReports = true }
    }

    /// Returns what the rate follows if that has changed since the last call.
    mutating func update(hasMaximum: Bool) -> RateFeedback? {
        var next = RateFeedback.none
        if hasFeedback {
            next = negotiated == .byStream ? .byStream : .transportWide
        } else if isActive {
            next = hasMaximum ? .maximumBitrate : hasReports ? .receiverReports : .none
        }
        guard next != source else { return nil }
        source = next
        return next
    }

    /// Forgets what came: the other end of another path may be another one.
    mutating func restart() {
        (isActive, hasFeedback, hasReports, firstReport) = (negotiated == nil, false, false, nil)
        isWaitOver = false
    }
}
