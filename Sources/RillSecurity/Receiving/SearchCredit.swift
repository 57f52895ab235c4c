/// How often the rollover counter of an unknown source is searched for.
///
/// A search costs as much as some dozens of packets, and whoever forges packets could ask for one with each. So there is a
/// store of 32, and every 32nd datagram adds one: a flood costs at most twice what its packets do, and who joins in the middle
/// of it is let in after some dozens of packets.
struct SearchCredit {
    private static let price = 32
    private static let limit = 32 * price
    private var credit = limit

    /// A datagram has come.
    mutating func add() { credit = min(credit + 1, SearchCredit.limit) }

    /// Whether a search may be made, which is paid for then.
    mutating func take() -> Bool {
        guard credit >= SearchCredit.price else { return false }
        credit -= SearchCredit.price
        return true
    }
}
