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

/// Recent round-trip times from reports.
///
/// The last eight show the current state of the path. The last 64, about a minute of reports, show its state without
/// queueing.
struct RoundTripWindow: Sendable {
    private var times = InlineArray<64, MediaDuration>(repeating: .zero)
    private var count = 0

    /// The number of round-trip times that show the current state.
    static let recentCount = 8
    /// How much longer than the minimum of the last minute a round trip may take before it is attributed to a queue.
    private static let tolerance = MediaDuration.milliseconds(50)

    mutating func add(_ time: MediaDuration) {
        times[count % times.count] = time
        count += 1
    }

    /// The minimum of the last eight; `nil` before the first.
    var smallest: MediaDuration? { smallest(ofLast: RoundTripWindow.recentCount) }

    /// Whether a queue has built up on the path: each of the last eight took at least twice as long as the minimum of
    /// the last minute, and 50 ms longer.
    var hasStandingQueue: Bool {
        guard let recent = smallest, let least = smallest(ofLast: times.count) else { return false }
        return recent > least + max(least, RoundTripWindow.tolerance)
    }

    private func smallest(ofLast number: Int) -> MediaDuration? {
        var smallest: MediaDuration?
        for place in max(0, count - number)..<count {
            let time = times[place % times.count]
            smallest = min(smallest ?? time, time)
        }
        return smallest
    }
}
