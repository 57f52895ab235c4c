import RillCore

/// Validates a driver's timestamps and replaces those that cannot be right.
///
/// A buffer cannot have been filled before the driver had it, nor after now, and each picture is later than the one
/// before. These rules find timestamps that are in the future, long past, going back or repeated. The replacement is
/// the frame's likely time: the previous time plus as many intervals as the driver counted, or else now minus the
/// usual age of this camera's frames.
///
/// A pure value: it reads no clock.
struct FrameTimestampCheck: Sendable {
    /// The number of replaced timestamps, by fault.
    var faults = TimestampFaults()
    private var interval: MediaDuration
    private var last: (time: MediaTime, sequence: UInt32)?
    /// The smallest age at dequeuing of a frame with a valid timestamp.
    private var age: MediaDuration?

    /// How far a timestamp may be in the future: the clocks are read one after the other.
    static let tolerance = MediaDuration.milliseconds(1)

    /// Creates a check.
    ///
    /// - Parameter interval: the expected time between frames.
    init(interval: MediaDuration) {
        self.interval = interval
    }

    /// Returns the time of a frame.
    ///
    /// - Parameters:
    ///   - stamp: the driver's timestamp; `nil` if it has none on this clock.
    ///   - sequence: the driver's sequence number of the frame.
    ///   - queuedAt: when the driver got the buffer.
    ///   - now: when the buffer was dequeued.
    /// - Returns: a time later than that of the previous frame and not after `now`, unless several frames arrive
    ///   within one nanosecond.
    mutating func time(
        stamp: MediaTime?, sequence: UInt32, queuedAt: MediaTime, now: MediaTime
    ) -> MediaTime {
        let time: MediaTime
        if let stamp, let fault = fault(stamp, queuedAt: queuedAt, now: now) {
            faults[keyPath: fault] += 1
            time = replacement(sequence, now)
        } else if let stamp {
            age = min(age ?? .seconds(1), now - stamp)
            time = stamp
        } else {
            faults.unstamped += 1
            time = replacement(sequence, now)
        }
        last = (time, sequence)
        return time
    }

    /// What is wrong with a timestamp: its count.
    private func fault(
        _ stamp: MediaTime, queuedAt: MediaTime, now: MediaTime
    ) -> WritableKeyPath<TimestampFaults, Int>? {
        if stamp > now + Self.tolerance { return \.future }
        if let last, stamp == last.time { return \.repeated }
        if let last, stamp < last.time { return \.backward }
        // Some drivers timestamp the start of exposure, which may be one interval before the buffer was queued.
        if stamp < queuedAt - max(interval, .milliseconds(100)) { return \.jumped }
        return nil
    }

    private func replacement(_ sequence: UInt32, _ now: MediaTime) -> MediaTime {
        let usual = now - (age ?? .zero)
        guard let last else { return usual }
        let frames = Int(max(1, min(1000, sequence &- last.sequence)))
        let expected = last.time + interval * frames
        // A predicted time that is several frames away from now is not used.
        let reckoned = expected <= now && now - expected < interval * 5 + .milliseconds(100) ? expected : usual
        return max(reckoned, last.time + MediaDuration(nanoseconds: 1))
    }
}

/// Counts of a driver's invalid timestamps, by fault.
public struct TimestampFaults: Codable, Hashable, Sendable {
    /// Frames without a timestamp on the monotonic clock.
    public var unstamped = 0
    /// Timestamps in the future.
    public var future = 0
    /// Timestamps before that of the previous frame.
    public var backward = 0
    /// Timestamps equal to that of the previous frame.
    public var repeated = 0
    /// Timestamps from before the driver had the buffer.
    public var jumped = 0

    /// The sum of all faults.
    public var count: Int { unstamped + future + backward + repeated + jumped }

    static func + (a: TimestampFaults, b: TimestampFaults) -> TimestampFaults {
        var sum = a
        sum.unstamped += b.unstamped
        sum.future += b.future
        sum.backward += b.backward
        sum.repeated += b.repeated
        sum.jumped += b.jumped
        return sum
    }
}
