import RillCore

/// The shortest transit of all frames in the last minute: arrival minus timestamp as a time.
///
/// It falls at once and rises as the minute passes. Old transits are adjusted by the clock skew once that is known,
/// so that clock drift does not make the floor lag behind.
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

    /// The minute consists of this many buckets of this length.
    private static let bucketCount = 12
    private static let bucketLength = MediaDuration.seconds(5)

    init() {
        buckets = FixedStorage(repeating: Bucket(), count: TransitFloor.bucketCount)
    }

    /// Adds a transit that was measured at `now`, which must not be before the last one.
    ///
    /// - Parameters:
    ///   - transit: the transit, in nanoseconds.
    ///   - now: the current time.
    ///   - skew: the growth of transit times by clock skew, as a fraction of time.
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
        // After a silence of more than a minute the last known value is still used.
        if smallest == nil, let known {
            buckets[current] = Bucket(time: now, smallest: known)
            smallest = known
        }
    }

    /// The smallest of all buckets, each adjusted to `now`; `nil` if all are empty.
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
