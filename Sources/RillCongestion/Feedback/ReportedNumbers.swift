import RillRTP

/// The sequence numbers that a receiver has seen, and which of them the next feedback lists.
///
/// A feedback lists what is new, and repeats what the two before it listed.
@usableFromInline
struct ReportedNumbers: Sendable {
    /// Where a number belongs.
    @usableFromInline
    enum Position {
        /// After all others, of which `skipped` were not seen.
        case newest(Int64, skipped: Int)
        /// Before the newest; the next feedback lists it.
        case late(Int64)
        /// So far before the newest, or before what the last feedback listed, that no feedback lists it.
        case tooOld
    }

    /// The extended newest number.
    @usableFromInline var newest: Int64?
    /// The first number that the next feedback lists as new, and those with which the two before it began.
    @usableFromInline var next: Int64 = 0
    @usableFromInline var last: Int64 = 0
    @usableFromInline var beforeLast: Int64 = 0

    /// Notes a packet that arrived.
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
        // A packet that was overtaken by the start of the list moves the start back, but not by a whole list.
        if extended < beforeLast {
            guard extended > next - Int64(window) / 2 else { return .tooOld }
            beforeLast = extended
        }
        return .late(extended)
    }

    /// The numbers that the next feedback lists, with what `count` feedbacks before it listed, 0 to 2; `nil` if there is none.
    func range(repeating count: Int, window: Int) -> ClosedRange<Int64>? {
        guard let newest else { return nil }
        let start = count == 0 ? next : count == 1 ? last : beforeLast
        let first = max(start, newest - Int64(window) + 1)
        return first <= newest ? first...newest : nil
    }

    /// Notes that a feedback was written.
    mutating func recordFeedback() {
        guard let newest else { return }
        (next, last, beforeLast) = (newest + 1, next, last)
    }
}
