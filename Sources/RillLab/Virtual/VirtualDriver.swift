public import RillCore

/// A stage that lives in time: it says when it next has something to do, and does it when it is told that the time has
/// come.
public protocol TimedStage: AnyObject {
    /// When to wake the stage next; `.distantFuture` when only others can give it something to do.
    var wakeTime: MediaTime { get }

    /// Does what is due at `now`, which is never before ``wakeTime``.
    func wake(at now: MediaTime) throws
}

/// Runs stages in virtual time: a loop that jumps from one wake-up to the next, on one thread, as fast as it can.
///
/// The same stages with the same seeds do the same in the same order. Of stages due at one time the one that stands
/// first in the list goes first, so they stand in the order in which data visits them.
public final class VirtualDriver {
    /// The time that it is.
    public private(set) var now = MediaTime.zero
    private let stages: [any TimedStage]

    /// A driver of those stages, at time zero.
    public init(_ stages: [any TimedStage]) {
        self.stages = stages
    }

    /// Runs until nothing is left to do before `end`, or until `isDone` says so; it is asked after each wake-up.
    public func run(until end: MediaTime = .distantFuture, isDone: () throws -> Bool = { false }) throws {
        while let (stage, time) = next(), time < end {
            now = max(now, time)
            try stage.wake(at: now)
            if try isDone() { return }
        }
        if end != .distantFuture { now = max(now, end) }
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
