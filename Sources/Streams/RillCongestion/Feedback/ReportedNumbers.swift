import RillRTP

/// The sequence numbers that a receiver has seen, and those that the next feedback lists.
///
/// A feedback lists the new numbers, and repeats those of the two feedbacks before it.
@usableFromInline
struct ReportedNumbers: Sendable {
    /// The position of a number among those that were seen.
    @usableFromInline
    enum Position {
        /// After all others. `skipped` numbers before it were not seen.
        case newest(Int64, skipped: Int)
        /// Before the newest, and listed by the next feedback.
        case late(Int64)
        /// Too far before the newest, or before the numbers of the last feedback. No feedback lists it.
        case tooOld
    }

    /// The newest number, extended.
    @usableFromInline var newest: Int64?
    /// The first new number for the next feedback, and the first new numbers of the two feedbacks before it.
    @usableFromInline var next: Int64 = 0
    @usableFromInline var last: Int64 = 0
    @usableFromInline var beforeLast: Int64 = 0

    /// Records a packet that arrived.
    @inlinable @inline(__always)
    mutating func record(_ number: SequenceNumber, window: Int) -> Position {
        guard let newest else {
            let first = Int64(number.rawValue)
            (newest, next, last, beforeLast) = (first, first, first, first)
            return .newest(first, skipped: 0)
        }
        let distance = Int64(Int16(bitPattern: number.rawValue &- UInt16(truncatingIfNeeded: newest)))
        let extended = newest &+ distance
        if distance > 0 {
            self.newest = extended
            return .newest(extended, skipped: Int(distance) - 1)
        }
        guard distance > -Int64(window) else { return .tooOld }
        // A reordered packet from before the list extends the list, but not by a whole list.
        if extended < beforeLast {
            guard extended > next - Int64(window) / 2 else { return .tooOld }
            beforeLast = extended
        }
        return .late(extended)
    }

    /// Returns the numbers that the next feedback lists if it repeats `count` feedbacks, 0 to 2; `nil` if there are
    /// none.
    func range(repeating count: Int, window: Int) -> ClosedRange<Int64>? {
        guard let newest else { return nil }
        let start = count == 0 ? next : count == 1 ? last : beforeLast
        let first = max(start, newest - Int64(window) + 1)
        return first <= newest ? first...newest : nil
    }

    /// Records that a feedback was written.
    mutating func recordFeedback() {
        guard let newest else { return }
        (next, last, beforeLast) = (newest + 1, next, last)
    }
}
