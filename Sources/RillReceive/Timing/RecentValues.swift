import RillCore

/// Values of the last seconds in order of size, for quantiles that are exact and forget at a known age.
///
/// It holds up to 256 values, each for ``span``. Where more come, as they do of fast streams, those of one 256th of the
/// span count as one, the largest of them.
struct RecentValues: ~Copyable, Sendable {
    /// How long a value counts.
    let span: MediaDuration
    /// Values that count.
    private(set) var count = 0

    private var head = 0
    private var ring: FixedStorage<Entry>
    /// The first `count` of these are the values, rising.
    private var sorted: FixedStorage<Int64>
    /// When the entry that is newest was begun.
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
        sorted = FixedStorage(repeating: 0, count: RecentValues.capacity)
    }

    /// Adds a value, and forgets those that have become too old. Times rise from call to call.
    mutating func add(_ value: Int64, at now: MediaTime) {
        forget(before: now - span)
        if count > 0, now - newestStart < span / RecentValues.capacity {
            let newest = place(count - 1)
            if value > ring[newest].value {
                removeSorted(ring[newest].value)
                ring[newest].value = value
                insertSorted(value, among: count - 1)
            }
            return
        }
        if count == RecentValues.capacity { removeOldest() }
        ring[place(count)] = Entry(time: now, value: value)
        newestStart = now
        insertSorted(value, among: count)
        count += 1
    }

    /// Forgets values that were added before `time`.
    mutating func forget(before time: MediaTime) {
        while count > 0, ring[head].time < time { removeOldest() }
    }

    /// Forgets everything.
    mutating func removeAll() {
        count = 0
        newestStart = MediaTime(nanoseconds: .min)
    }

    /// The value that `rank` others are below, from 0 to `count` - 1.
    func value(rank: Int) -> Int64 { sorted[rank] }

    /// The least bound that the values exceed by no more than `mean` on the average, those below it counting as zero; no
    /// more than one in eight lies above it. There is a value.
    func bound(exceededBy mean: Int64) -> Int64 {
        var budget = mean * Int64(count)
        var above: Int64 = 1
        var rank = count - 1
        while rank > 0, above <= Int64(count / 8) {
            // A stranger's timestamps may lie further apart than the product has bits for: that is beyond any budget.
            let (cost, isTooMuch) = (sorted[rank] - sorted[rank - 1]).multipliedReportingOverflow(by: above)
            guard !isTooMuch, cost <= budget else { return sorted[rank] - budget / above }
            budget -= cost
            rank -= 1
            above += 1
        }
        return sorted[rank]
    }

    /// The largest; there is one.
    var largest: Int64 { sorted[count - 1] }

    private func place(_ index: Int) -> Int { (head + index) & (RecentValues.capacity - 1) }

    private mutating func removeOldest() {
        removeSorted(ring[head].value)
        head = place(1)
        count -= 1
    }

    /// Puts `value` among the first `count` sorted values.
    private mutating func insertSorted(_ value: Int64, among count: Int) {
        let rank = rank(of: value, among: count)
        sorted.move(from: rank, to: rank + 1, count: count - rank)
        sorted[rank] = value
    }

    /// Takes `value` out of the `count` sorted values, of which it is one.
    private mutating func removeSorted(_ value: Int64) {
        let rank = rank(of: value, among: count)
        sorted.move(from: rank + 1, to: rank, count: count - rank - 1)
    }

    /// How many of the first `count` sorted values are below `value`.
    private func rank(of value: Int64, among count: Int) -> Int {
        var (low, high) = (0, count)
        while low < high {
            let middle = (low + high) / 2
            if sorted[middle] < value { low = middle + 1 } else { high = middle }
        }
        return low
    }
}
