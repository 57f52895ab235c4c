import RillCore

/// Whether the remote side still agrees to receive, on the selected path (RFC 7675 §5.1).
///
/// A request leaves about every five seconds, each with its own identifier and never retransmitted. Nothing but its
/// answer, from the selected path, is consent: requests of the other side may be copies that somebody else sends.
struct ICEConsent {
    /// When it was last confirmed.
    private(set) var lastConfirmed = MediaTime.zero
    /// When the next request is due.
    private(set) var nextRequest = MediaTime.distantFuture
    private var sent: [(id: STUNTransactionID, time: MediaTime)] = []

    /// Begins with a path that was just confirmed.
    mutating func begin(at now: MediaTime) {
        lastConfirmed = now
        sent.removeAll(keepingCapacity: true)
        nextRequest = .distantFuture
    }

    mutating func confirm(at now: MediaTime) { lastConfirmed = now }

    /// Schedules the next request: after 80 % to 120 % of the interval, so that agents do not fall into step.
    mutating func schedule(_ interval: MediaDuration, using random: inout SeededGenerator, at now: MediaTime) {
        nextRequest = now + .seconds(interval.seconds * (0.8 + 0.4 * random.unitInterval()))
    }

    mutating func noteRequest(_ id: STUNTransactionID, at now: MediaTime) {
        // With an interval of at least 4 s, those of the last 30 s.
        if sent.count >= 8 { sent.removeFirst() }
        sent.append((id, now))
    }

    /// When the request with this identifier was sent, if it waits for its response.
    func sendTime(of id: STUNTransactionID) -> MediaTime? { sent.first { $0.id == id }?.time }

    /// A response arrived: it answers only once.
    mutating func noteResponse(_ id: STUNTransactionID) { sent.removeAll { $0.id == id } }
}
