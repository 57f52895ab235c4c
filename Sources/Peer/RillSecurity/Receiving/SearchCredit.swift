/// Limits how often the rollover counter of an unknown source is searched for.
///
/// A search costs as much as a few dozen packets, and an attacker could cause one with each forged packet. The credit
/// allows 32 searches, and every 32 datagrams add one. A flood therefore costs at most twice as much as its packets,
/// and a source that joins during a flood is accepted after a few dozen packets.
struct SearchCredit {
    private static let price = 32
    private static let limit = 32 * price
    private var credit = limit

    /// Adds the credit of one datagram.
    mutating func add() { credit = min(credit + 1, SearchCredit.limit) }

    /// Returns whether a search is allowed, and takes its price if so.
    mutating func take() -> Bool {
        guard credit >= SearchCredit.price else { return false }
        credit -= SearchCredit.price
        return true
    }
}
