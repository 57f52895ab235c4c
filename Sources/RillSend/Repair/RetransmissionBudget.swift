import RillCore

/// Keeps what is sent again to a share of what is sent, so that a storm of requests cannot take the path for itself.
///
/// It looks at the last two seconds, in eighths: what was sent again in them may be so large a share of what was sent
/// for the first time in them. A few packets are always allowed: all that a slow stream has sent of late may be one.
struct RetransmissionBudget: Sendable {
    private let share: Percentage
    private let minimumByteCount: Int
    private var slots = InlineArray<8, Slot>(repeating: Slot())
    private var total = Slot()
    /// The number of the newest slot, counted from time zero.
    private var newest: Int64 = 0

    private struct Slot {
        var sent = 0
        var retransmitted = 0
    }

    /// The time that it looks back over.
    static let window = MediaDuration.seconds(2)
    /// Packets that may be sent again in a window, whatever was sent.
    static let minimumPacketCount = 8
    private static let slotDuration = window.nanoseconds / 8

    /// A budget of a stream whose packets have at most `maximumPacketByteCount` bytes.
    init(share: Percentage, maximumPacketByteCount: Int) {
        self.share = share
        minimumByteCount = Self.minimumPacketCount * maximumPacketByteCount
    }

    /// Notes a packet that is sent for the first time.
    mutating func noteSent(_ byteCount: Int, at now: MediaTime) {
        advance(to: now)
        slots[index].sent += byteCount
        total.sent += byteCount
    }

    /// Takes a packet that is to be sent again out of the budget; `false` when it does not suffice.
    ///
    /// - Parameter isReserved: half of the budget is left for others.
    mutating func take(_ byteCount: Int, leavingHalf isReserved: Bool = false, at now: MediaTime) -> Bool {
        advance(to: now)
        let all = max(minimumByteCount, total.sent * share.partsPerMillion / 1_000_000)
        let limit = isReserved ? all / 2 : all
        guard total.retransmitted + byteCount <= limit else { return false }
        slots[index].retransmitted += byteCount
        total.retransmitted += byteCount
        return true
    }

    private var index: Int { Int(truncatingIfNeeded: newest) & (slots.count - 1) }

    private mutating func advance(to now: MediaTime) {
        let slot = now.nanoseconds / Self.slotDuration
        while newest < slot {
            // After a long silence all of them are stale: eight steps clear them.
            newest = max(newest + 1, slot - Int64(slots.count) + 1)
            total.sent -= slots[index].sent
            total.retransmitted -= slots[index].retransmitted
            slots[index] = Slot()
        }
    }
}
