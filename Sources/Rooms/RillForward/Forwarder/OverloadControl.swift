import RillCore

/// What a forwarder leaves out because its thread cannot keep up. Sound, feedback and consent are never left out.
public enum OverloadLevel: Int, Comparable, Sendable {
    /// Nothing.
    case none
    /// Layers other than the smallest.
    case largeLayers
    /// All pictures.
    case pictures

    /// Whether more is left out at the second level.
    public static func < (a: OverloadLevel, b: OverloadLevel) -> Bool { a.rawValue < b.rawValue }
}

/// Decides what is left out, from how late the thread does its work.
///
/// A thread that is late for 300 ms on end leaves out more; each step has as long to take effect. One that is in time
/// for 2 s leaves out less. Where that does not last 10 s, the time doubles up to 30 s: the load is the same.
///
/// A pure value: it reads no clock, and the same calls give the same results.
struct OverloadControl: Sendable {
    /// What is left out.
    private(set) var level = OverloadLevel.none
    /// The latest of the present window.
    private var worst = MediaDuration.zero
    private var windowEnd = MediaTime(nanoseconds: .min / 2)
    /// How many windows on end were late, and in time.
    private var (lateCount, calmCount) = (0, 0)
    private var calmNeeded = OverloadControl.calmWindows
    private var relievedAt: MediaTime?

    /// What counts as late: more than a slow frame's interval, less than what a jitter buffer waits. 50 ms.
    static let limit = MediaDuration.milliseconds(50)
    private static let window = MediaDuration.milliseconds(100)
    private static let lateWindows = 3
    private static let calmWindows = 20
    private static let mostCalmWindows = 300
    private static let trial = MediaDuration.seconds(10)

    /// Notes how late something was done.
    ///
    /// - Parameters:
    ///   - lateness: the time from when it was due, or had arrived.
    ///   - now: when it was done.
    /// - Returns: whether what is left out has changed.
    mutating func note(_ lateness: MediaDuration, at now: MediaTime) -> Bool {
        defer { worst = max(worst, lateness) }
        guard now >= windowEnd else { return false }
        let isLate = worst > OverloadControl.limit
        // Windows in which nothing was due were in time.
        let idle = min((now - windowEnd).nanoseconds / OverloadControl.window.nanoseconds, 1000)
        (worst, windowEnd) = (.zero, now + OverloadControl.window)
        if isLate {
            (lateCount, calmCount) = (idle > 3 ? 1 : lateCount + 1, 0)
            return rise(at: now)
        }
        (lateCount, calmCount) = (0, calmCount + 1 + Int(idle))
        return relax(at: now)
    }

    private mutating func rise(at now: MediaTime) -> Bool {
        guard lateCount >= OverloadControl.lateWindows, let next = OverloadLevel(rawValue: level.rawValue + 1) else {
            return false
        }
        lateCount = 0
        if let relievedAt, now - relievedAt < OverloadControl.trial {
            calmNeeded = min(calmNeeded * 2, OverloadControl.mostCalmWindows)
        } else if level == .none {
            calmNeeded = OverloadControl.calmWindows
        }
        level = next
        return true
    }

    private mutating func relax(at now: MediaTime) -> Bool {
        guard calmCount >= calmNeeded, let next = OverloadLevel(rawValue: level.rawValue - 1) else { return false }
        (calmCount, level, relievedAt) = (0, next, now)
        return true
    }
}
