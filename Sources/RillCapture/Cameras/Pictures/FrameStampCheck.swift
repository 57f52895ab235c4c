import RillCore

/// Sees to it that frames bear times that can be: a driver's stamps checked, and replaced where they are wrong.
///
/// A buffer cannot have been filled before the driver had it, nor after now; and a picture comes after the one before.
/// That is all that is needed to find stamps from the future, from long ago, that go back and that repeat. What takes
/// their place is where the frame must have been: as many intervals after the one before as the driver has counted, and
/// otherwise as old as frames of this camera are.
///
/// A pure value: it reads no clock.
struct FrameStampCheck: Sendable {
    /// Frames whose stamps were replaced, by what was wrong.
    private(set) var faults = TimestampFaults()
    private var interval: MediaDuration
    private var last: (time: MediaTime, sequence: UInt32)?
    /// How old the youngest frame with a good stamp was when it was dequeued.
    private var age: MediaDuration?

    /// How far a stamp may lie in the future: clocks are read one after the other.
    static let tolerance = MediaDuration.milliseconds(1)

    /// - Parameter interval: from frame to frame; as far as known.
    init(interval: MediaDuration) {
        self.interval = interval
    }

    /// The time of a frame.
    ///
    /// - Parameters:
    ///   - stamp: the driver's; `nil` where it has none by this clock.
    ///   - queuedAt: when the driver got the buffer.
    ///   - now: when it was dequeued.
    /// - Returns: a time after that of the frame before, and not after `now`, unless several frames come in one nanosecond.
    mutating func time(
        stamp: MediaTime?, sequence: UInt32, queuedAt: MediaTime, now: MediaTime
    ) -> MediaTime {
        let time: MediaTime
        if let stamp, let fault = fault(stamp, queuedAt: queuedAt, now: now) {
            faults.note(fault)
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

    private func fault(_ stamp: MediaTime, queuedAt: MediaTime, now: MediaTime) -> TimestampFaults.Kind? {
        if stamp > now + Self.tolerance { return .future }
        if let last, stamp == last.time { return .repeated }
        if let last, stamp < last.time { return .backward }
        // Some stamp the start of exposure, which may lie an interval before the buffer was there.
        if stamp < queuedAt - max(interval, .milliseconds(100)) { return .jumped }
        return nil
    }

    private func replacement(_ sequence: UInt32, _ now: MediaTime) -> MediaTime {
        let usual = now - (age ?? .zero)
        guard let last else { return usual }
        let frames = Int(max(1, min(1000, sequence &- last.sequence)))
        let expected = last.time + interval * frames
        // A reckoned time that strays from now by more than some frames is none.
        let reckoned = expected <= now && now - expected < interval * 5 + .milliseconds(100) ? expected : usual
        return max(reckoned, last.time + MediaDuration(nanoseconds: 1))
    }
}

/// Stamps of a driver that could not be, by what was wrong with them.
public struct TimestampFaults: Codable, Hashable, Sendable {
    /// Frames without a stamp by the monotonic clock.
    public var unstamped = 0
    /// Stamps of a time that had not come.
    public var future = 0
    /// Stamps before that of the frame before.
    public var backward = 0
    /// Stamps equal to that of the frame before.
    public var repeated = 0
    /// Stamps from before the buffer was the driver's.
    public var jumped = 0

    enum Kind {
        case future, backward, repeated, jumped
    }

    mutating func note(_ kind: Kind) {
        switch kind {
        case .future: future += 1
        case .backward: backward += 1
        case .repeated: repeated += 1
        case .jumped: jumped += 1
        }
    }

    /// All together.
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
