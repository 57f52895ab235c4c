import RillCore

/// Estimates how much faster the receiver's clock runs than the sender's, from the drift of the smallest transit
/// times.
///
/// The smallest transit of each 20 seconds is a point. The estimate is the median of the slopes of all pairs of the
/// last 32 points (Theil 1950, Sen 1968). Unlike a least squares line, it does not follow a route that becomes longer
/// or a queue that persists for a while. A larger route change is removed from the older points. With points of σ =
/// 10 ms, an error of about 10 ppm remains in the estimate.
struct ClockSkewEstimator: ~Copyable, Sendable {
    /// The growth of transit times as a fraction of time: 0.0001 is 100 ppm, with the sender's clock slower. Between
    /// ±0.001.
    private(set) var skew = 0.0

    private var points: FixedStorage<Point>
    private var count = 0
    private var next = 0
    private var slopes: FixedStorage<Double>
    private var open: Point?
    private var end = MediaTime.zero

    // Not private: the compiler (6.3.1) cannot link a private type as the element of another file's generic storage.
    struct Point: BitwiseCopyable {
        var time: MediaTime
        var transit: Int64
    }

    /// Points that are kept: more than ten minutes.
    private static let capacity = 32
    private static let minimumCount = 6
    private static let interval = MediaDuration.seconds(20)
    /// Crystals are accurate to 100 ppm; a larger drift is a queue.
    private static let limit = 0.001
    /// A larger change of the smallest transit in 20 seconds is a new route.
    private static let step = MediaDuration.milliseconds(50)

    init() {
        points = FixedStorage(repeating: Point(time: .zero, transit: 0), count: ClockSkewEstimator.capacity)
        slopes = FixedStorage(
            repeating: 0, count: ClockSkewEstimator.capacity * (ClockSkewEstimator.capacity - 1) / 2)
    }

    /// Adds a frame's transit in nanoseconds, measured at `now`, which must not be before the last one.
    mutating func add(_ transit: Int64, at now: MediaTime) {
        guard let open else {
            begin(transit, at: now)
            return
        }
        if now >= end {
            close(open)
            begin(transit, at: now)
        } else if transit < open.transit {
            self.open = Point(time: now, transit: transit)
        }
    }

    /// Forgets the points but not the estimate: the timestamps have jumped, but the clocks are the same.
    mutating func restart() {
        count = 0
        open = nil
    }

    private mutating func begin(_ transit: Int64, at now: MediaTime) {
        open = Point(time: now, transit: transit)
        end = now + ClockSkewEstimator.interval
    }

    private mutating func close(_ point: Point) {
        points[next] = point
        next = (next + 1) % ClockSkewEstimator.capacity
        count = min(count + 1, ClockSkewEstimator.capacity)
        guard count >= ClockSkewEstimator.minimumCount else { return }
        followRoute()
        skew = max(-ClockSkewEstimator.limit, min(ClockSkewEstimator.limit, medianSlope()))
    }

    /// Detects a route change, if the newest two points agree with each other and not with the one before, and moves
    /// the older points along. Otherwise more than half of all pairs would span the change by the time that it is
    /// half as old as the kept points.
    private mutating func followRoute() {
        let (newest, middle, old) = (place(1), place(2), place(3))
        let change = distance(from: old, to: middle)
        guard abs(change) > ClockSkewEstimator.step.nanoseconds,
            abs(distance(from: middle, to: newest)) < abs(change) / 2
        else { return }
        for index in 0..<count where index != newest && index != middle { points[index].transit += change }
    }

    /// The index of the point that is the `age`th newest.
    private func place(_ age: Int) -> Int { (next + ClockSkewEstimator.capacity - age) % ClockSkewEstimator.capacity }

    /// The change of transit between two points, beyond the clock skew.
    private func distance(from old: Int, to new: Int) -> Int64 {
        let drift = Double((points[new].time - points[old].time).nanoseconds) * skew
        return points[new].transit - points[old].transit - Int64(drift)
    }

    private mutating func medianSlope() -> Double {
        var slopeCount = 0
        for first in 0..<count {
            for second in first + 1..<count {
                let span = (points[second].time - points[first].time).nanoseconds
                guard span != 0 else { continue }
                slopes[slopeCount] = Double(points[second].transit - points[first].transit) / Double(span)
                slopeCount += 1
            }
        }
        return slopeCount == 0 ? skew : middle(of: slopeCount)
    }

    /// The median of the first slopes, by quickselect: once in 20 seconds.
    private mutating func middle(of slopeCount: Int) -> Double {
        let wanted = slopeCount / 2
        var (low, high) = (0, slopeCount - 1)
        while low < high {
            let pivot = slopes[(low + high) / 2]
            var (left, right) = (low, high)
            while left <= right {
                while slopes[left] < pivot { left += 1 }
                while slopes[right] > pivot { right -= 1 }
                guard left <= right else { break }
                let swapped = slopes[left]
                slopes[left] = slopes[right]
                slopes[right] = swapped
                left += 1
                right -= 1
            }
            if wanted <= right {
                high = right
            } else if wanted >= left {
                low = left
            } else {
                break
            }
        }
        return slopes[wanted]
    }
}
