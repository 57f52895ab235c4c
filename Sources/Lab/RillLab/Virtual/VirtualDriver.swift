public import RillCore

/// A stage in virtual or real time: it returns when it next has something to do, and does it when it is woken.
public protocol TimedStage: AnyObject {
    /// When to wake the stage next; `.distantFuture` if only other stages can give it work.
    var wakeTime: MediaTime { get }

    /// Does what is due at `now`, which is never before ``wakeTime``.
    func wake(at now: MediaTime) throws
}

/// A driver that runs stages in virtual time: a loop that jumps from one wake-up to the next, on one thread, as fast
/// as it can.
///
/// The same stages with the same seeds do the same in the same order. Of stages due at the same time the first in the
/// list runs first, so list them in the order in which data passes them.
public final class VirtualDriver {
    /// The current virtual time.
    public private(set) var now = MediaTime.zero
    private let stages: [any TimedStage]

    /// Creates a driver of those stages, at time zero.
    public init(_ stages: [any TimedStage]) {
        self.stages = stages
    }

    /// Runs until nothing is left to do before `end`, or `isDone` returns `true`; it is called after each wake-up.
    ///
    /// - Parameters:
    ///   - end: the end time; never by default.
    ///   - isDone: whether to stop; `false` by default.
    /// - Throws: what a stage or `isDone` throws.
    public func run(until end: MediaTime = .distantFuture, isDone: () throws -> Bool = { false }) throws {
        while let (stage, time) = next(), time < end {
            now = max(now, time)
            try stage.wake(at: now)
            if try isDone() { return }
        }
        if end != .distantFuture { now = max(now, end) }
    }

    /// Runs until everything is sent and nothing is left in flight, or the time limit after the sending is reached.
    ///
    /// - Parameters:
    ///   - limit: the time limit after everything is sent.
    ///   - isSent: whether everything is sent; it is called after each wake-up.
    ///   - isIdle: whether nothing is in flight; called when everything is sent.
    func run(drainingWithin limit: MediaDuration, isSent: () -> Bool, isIdle: () -> Bool) throws {
        var end = MediaTime.distantFuture
        try run {
            guard isSent() else { return false }
            if end == .distantFuture { end = now + limit }
            return now >= end || isIdle()
        }
    }

    private func next() -> (stage: any TimedStage, time: MediaTime)? {
        var earliest: (stage: any TimedStage, time: MediaTime)?
        for stage in stages {
            let time = stage.wakeTime
            if time < earliest?.time ?? .distantFuture { earliest = (stage, time) }
        }
        return earliest
    }
}
