import RillCore

/// The fastest way of the last minute: the smallest transit, arrival less timestamp as a time, of all frames in it.
///
/// It falls at once and rises as the minute passes. With the two clocks' skew known, old transits are carried forward by
/// it, so that a clock that runs away does not make the floor lag behind.
struct TransitFloor: ~Copyable, Sendable {
    /// The smallest transit now, in nanoseconds; `nil` before the first.
    private(set) var smallest: Int64?

    private var buckets: FixedStorage<Bucket>
    private var current = 0
    private var end = MediaTime(nanoseconds: .min)

    // Not private: the compiler (6.3.1) cannot link a private type as the element of another file's generic storage.
    struct Bucket: BitwiseCopyable {
        /// When the smallest was measured; meaningless while there is none.
        var time = MediaTime.zero
        var smallest = Int64.max
    }

    /// The minute is this many buckets of this length.
    private static let bucketCount = 12
    private static let bucketLength = MediaDuration.seconds(5)

    init() {
        buckets = FixedStorage(repeating: Bucket(), count: TransitFloor.bucketCount)
    }

    /// Adds a transit that was measured at `now`, not before the last one.
    ///
    /// - Parameter skew: by how much transits grow on their own, as a share of time.
    mutating func add(_ transit: Int64, at now: MediaTime, skew: Double) {
        if now >= end { rotate(to: now, skew: skew) }
        if transit < buckets[current].smallest { buckets[current] = Bucket(time: now, smallest: transit) }
        smallest = min(smallest ?? transit, transit)
    }

    private mutating func rotate(to now: MediaTime, skew: Double) {
        let known = carried(to: now, skew: skew)
        let isFirst = end.nanoseconds == .min
        if !isFirst, now - end < TransitFloor.bucketLength * TransitFloor.bucketCount {
            while end <= now {
                current = (current + 1) % TransitFloor.bucketCount
                buckets[current] = Bucket()
                end += TransitFloor.bucketLength
            }
        } else {
            for index in 0..<TransitFloor.bucketCount { buckets[index] = Bucket() }
            end = now + TransitFloor.bucketLength
        }
        smallest = carried(to: now, skew: skew)
        // A silence longer than a minute says nothing about the way; the newest that is known still stands.
        if smallest == nil, let known {
            buckets[current] = Bucket(time: now, smallest: known)
            smallest = known
        }
    }

    /// The smallest of all buckets, each carried forward to `now`; `nil` where none holds any.
    private func carried(to now: MediaTime, skew: Double) -> Int64? {
        var smallest: Int64?
        for index in 0..<TransitFloor.bucketCount where buckets[index].smallest != .max {
            let age = now - buckets[index].time
            let carried = buckets[index].smallest + Int64(Double(age.nanoseconds) * skew)
            smallest = min(smallest ?? carried, carried)
        }
        return smallest
    }
}
