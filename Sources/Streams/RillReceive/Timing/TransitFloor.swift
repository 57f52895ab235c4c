import Glibc
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

/// Estimates how much longer a larger frame takes in transit: the time that a narrow link needs per byte.
///
/// It is the least squares line through the steps from one frame to the next, transit against size, in which a step's
/// weight falls by a factor of e every three seconds. A Kalman filter of that state gives the same if the link
/// changes (Google congestion control has one, Carlucci et al. 2016). The slope is only used as far as it is certain,
/// two standard deviations on the safe side: where jitter hides the effect of size, there is none to prepare for.
struct SizeEffect: Sendable {
    /// Weighted sums over the steps: the weights, and products of size (bytes) and transit (milliseconds).
    private var weight = 0.0
    private var sizeSize = 0.0
    private var sizeTransit = 0.0
    private var transitTransit = 0.0
    private var last: (transit: Int64, byteCount: Int, time: MediaTime)?

    private static let memory = MediaDuration.seconds(3)
    /// The weight that an estimate needs.
    private static let minimumWeight = 8.0

    /// Adds a frame that became complete at `now`, in order and without repair; `transit` in nanoseconds.
    mutating func add(transit: Int64, byteCount: Int, at now: MediaTime) {
        defer { last = (transit, byteCount, now) }
        guard let last else { return }
        let age = Double((now - last.time).nanoseconds) / Double(SizeEffect.memory.nanoseconds)
        // Accurate to a millionth for the usual time between two frames, at a third of the cost.
        let fading = age < 0.05 ? 1 / (1 + age * (1 + age * (1 / 2 + age / 6))) : exp(-age)
        let step = Double(transit - last.transit) / 1e6
        let growth = Double(byteCount - last.byteCount)
        weight = weight * fading + 1
        sizeSize = sizeSize * fading + growth * growth
        sizeTransit = sizeTransit * fading + growth * step
        transitTransit = transitTransit * fading + step * step
    }

    /// Returns how much longer a frame takes that is larger by `count` bytes, in nanoseconds, as far as that is
    /// certain.
    func delay(ofBytes count: Int64) -> Int64 {
        guard weight >= SizeEffect.minimumWeight, sizeSize > 0 else { return 0 }
        let slope = sizeTransit / sizeSize
        let noise = max(0, transitTransit - slope * sizeTransit) / weight
        let certain = max(0, slope - 2 * (noise / sizeSize).squareRoot())
        // No frame is awaited for longer than a second.
        return Int64(min(1e9, certain * Double(count) * 1e6))
    }
}
