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
