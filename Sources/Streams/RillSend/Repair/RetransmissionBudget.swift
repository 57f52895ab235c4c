import RillCore

/// Limits retransmissions to a share of the sent bytes, so that a flood of NACKs cannot use up the path.
///
/// The budget covers the last two seconds, in eighths: the bytes retransmitted in that window may be up to a given
/// share of the bytes sent for the first time in it. A few packets are always allowed, because a slow stream may have
/// sent only one in the window.
struct RetransmissionBudget: Sendable {
    private let share: Percentage
    private let minimumByteCount: Int
    private var slots = InlineArray<8, Slot>(repeating: Slot())
    private var total = Slot()
    /// The index of the newest slot, counted from time zero.
    private var newest: Int64 = 0

    private struct Slot {
        var sent = 0
        var retransmitted = 0
    }

    /// The time that the budget covers.
    static let window = MediaDuration.seconds(2)
    /// The number of packets that may always be retransmitted per window.
    static let minimumPacketCount = 8
    private static let slotDuration = window.nanoseconds / 8

    /// A budget for a stream whose packets have at most `maximumPacketByteCount` bytes.
    init(share: Percentage, maximumPacketByteCount: Int) {
        self.share = share
        minimumByteCount = Self.minimumPacketCount * maximumPacketByteCount
    }

    /// Records a packet that is sent for the first time.
    mutating func noteSent(_ byteCount: Int, at now: MediaTime) {
        advance(to: now)
        slots[index].sent += byteCount
        total.sent += byteCount
    }

    /// Takes a retransmission from the budget; returns `false` if the budget does not suffice.
    ///
    /// - Parameters:
    ///   - byteCount: the size of the packet in bytes.
    ///   - isReserved: whether to leave half of the budget for other packets.
    ///   - now: the time of the retransmission.
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
            // After a long silence all slots are stale, and eight steps clear them.
            newest = max(newest + 1, slot - Int64(slots.count) + 1)
            total.sent -= slots[index].sent
            total.retransmitted -= slots[index].retransmitted
            slots[index] = Slot()
        }
    }
}
