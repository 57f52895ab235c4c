import RillCore

/// The values of the last seconds in ascending order, for exact quantiles that forget at a known age.
///
/// It holds up to 256 values, each for ``span``. If more arrive, as in fast streams, those of one 256th of the span
/// count as one, the largest of them.
struct RecentValues: ~Copyable, Sendable {
    /// How long a value counts.
    let span: MediaDuration
    /// The number of values.
    private(set) var count = 0

    private var head = 0
    private var ring: FixedStorage<Entry>
    /// The first `count` of these are the values, ascending; the rest are `Int64.max`.
    private var sorted: FixedStorage<Int64>
    /// When the newest entry was started.
    private var newestStart = MediaTime(nanoseconds: .min)

    // Not private: the compiler (6.3.1) cannot link a private type as the element of another file's generic storage.
    struct Entry: BitwiseCopyable {
        var time: MediaTime
        var value: Int64
    }

    /// The most values at once, a power of two.
    static let capacity = 256

    init(span: MediaDuration) {
        self.span = span
        ring = FixedStorage(repeating: Entry(time: .zero, value: 0), count: RecentValues.capacity)
        sorted = FixedStorage(repeating: .max, count: RecentValues.capacity)
    }

    /// Adds a value, and forgets those that have become too old. Times must not decrease from call to call.
    mutating func add(_ value: Int64, at now: MediaTime) {
        // At a steady rate one leaves as one arrives: that takes one move instead of two.
        var leaving = takeOutdated(before: now - span)
        if count > 0, now - newestStart < span / RecentValues.capacity {
            if let leaving { removeSorted(leaving, among: count + 1) }
            raiseNewest(to: value)
            return
        }
        if count == RecentValues.capacity { leaving = takeOldest() }
        ring[ring: head + count] = Entry(time: now, value: value)
        newestStart = now
        count += 1
        if let leaving {
            replaceSorted(leaving, by: value, among: count)
        } else {
            insertSorted(value, among: count - 1)
        }
    }

    /// Forgets values that were added before `time`.
    mutating func forget(before time: MediaTime) {
        if let leaving = takeOutdated(before: time) { removeSorted(leaving, among: count + 1) }
    }

    /// Forgets everything.
    mutating func removeAll() {
        for index in 0..<count { sorted[index] = .max }
        count = 0
        newestStart = MediaTime(nanoseconds: .min)
    }

    /// The value that `rank` others are below, from 0 to `count` - 1.
    mutating func value(rank: Int) -> Int64 { sorted[rank] }

    /// Returns the lowest bound that the values exceed by at most `mean` on average, where those below it count as
    /// zero; at most one in eight is above it. There must be a value.
    mutating func bound(exceededBy mean: Int64) -> Int64 {
        var budget = mean * Int64(count)
        var bound = sorted[count - 1]
        // Most networks are calm: if all values that may be above were the largest, the lowest bound would be
        // allowed.
        let (most, lowest) = (count / 8, sorted[count - 1 - count / 8])
        let (cost, isTooMuch) = (bound &- lowest).multipliedReportingOverflow(by: Int64(most))
        if !isTooMuch, (0...budget).contains(cost) { return lowest }
        for above in 1..<most &+ 1 {
            let next = sorted[count &- 1 &- above]
            // Remote timestamps may be too far apart for the product: that exceeds any budget.
            let (cost, isTooMuch) = (bound &- next).multipliedReportingOverflow(by: Int64(above))
            guard !isTooMuch, cost <= budget else { return bound - budget / Int64(above) }
            budget &-= cost
            bound = next
        }
        return bound
    }

    /// The largest value; there must be one.
    var largest: Int64 { sorted[count - 1] }

    /// Removes the values that were added before `time`. Returns the last of them, which is not yet removed from the
    /// sorted ones.
    @inline(__always)
    private mutating func takeOutdated(before time: MediaTime) -> Int64? {
        var leaving: Int64?
        while count > 0, ring[ring: head].time < time {
            if let leaving { removeSorted(leaving, among: count + 1) }
            leaving = takeOldest()
        }
        return leaving
    }

    /// Removes the oldest value, but not from the sorted ones.
    private mutating func takeOldest() -> Int64 {
        let value = ring[ring: head].value
        head = (head + 1) & (RecentValues.capacity - 1)
        count -= 1
        return value
    }

    private mutating func raiseNewest(to value: Int64) {
        let newest = head + count - 1
        guard value > ring[ring: newest].value else { return }
        replaceSorted(ring[ring: newest].value, by: value, among: count)
        ring[ring: newest].value = value
    }

    // MARK: Sorted values

    /// Inserts `value` into the first `count` sorted values.
    private mutating func insertSorted(_ value: Int64, among count: Int) {
        let rank = rank(of: value)
        sorted.move(from: rank, to: rank + 1, count: count - rank)
        sorted[rank] = value
    }

    /// Removes `value` from the first `count` sorted values, which must contain it.
    private mutating func removeSorted(_ value: Int64, among count: Int) {
        let rank = rank(of: value)
        sorted.move(from: rank + 1, to: rank, count: count - rank - 1)
        sorted[count - 1] = .max
    }

    /// Replaces `old`, one of the first `count` sorted values, by `value`.
    @inline(__always)
    private mutating func replaceSorted(_ old: Int64, by value: Int64, among count: Int) {
        let (hole, rank) = (rank(of: old), rank(of: value))
        if rank > hole {
            sorted.move(from: hole + 1, to: hole, count: rank - hole - 1)
            sorted[rank - 1] = value
        } else {
            sorted.move(from: rank, to: rank + 1, count: hole - rank)
            sorted[rank] = value
        }
    }

    /// The number of values below `value`.
    ///
    /// Always the same nine steps, so that the compiler generates them without a branch, which a processor would
    /// mispredict every other time.
    @inline(__always)
    private func rank(of value: Int64) -> Int {
        var (rank, step) = (0, RecentValues.capacity / 2)
        while step > 0 {
            rank &+= sorted[ring: rank &+ step &- 1] < value ? step : 0
            step /= 2
        }
        return rank &+ (sorted[ring: rank] < value ? 1 : 0)
    }
}
