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

/// The transactions of the requests that were accepted last, and the pairs on which they came: so that a copy of a
/// request that somebody else sends from another address can be recognized (RFC 8445 §19.3).
struct ICERequestHistory {
    /// What is known of a transaction.
    enum Finding: Equatable {
        /// It was not seen, or so long ago that it is forgotten.
        case new
        /// It came before, on that pair. `isFollowed`: and from a second address, which was followed.
        case known(pair: Int, isFollowed: Bool)
    }

    /// How many are kept: those of about ten minutes, with a request every five seconds.
    static let capacity = 128

    private struct Entry {
        let id: STUNTransactionID
        let pair: Int
        var isFollowed = false
    }

    private var entries: [Entry] = []
    private var oldest = 0

    func find(_ id: STUNTransactionID) -> Finding {
        guard let entry = entries.first(where: { $0.id == id }) else { return .new }
        return .known(pair: entry.pair, isFollowed: entry.isFollowed)
    }

    /// Adds a transaction, in place of the oldest.
    mutating func insert(_ id: STUNTransactionID, on pair: Int) {
        let entry = Entry(id: id, pair: pair)
        guard entries.count == ICERequestHistory.capacity else { return entries.append(entry) }
        entries[oldest] = entry
        oldest = (oldest + 1) % ICERequestHistory.capacity
    }

    /// A second address of a transaction is followed. There is no third.
    mutating func follow(_ id: STUNTransactionID) {
        guard let index = entries.firstIndex(where: { $0.id == id }) else { return }
        entries[index].isFollowed = true
    }
}
