/// Bounds the iterations of a `poll` that continues by itself. So an internal error ends one session with a name, and
/// does not hang the process.
///
/// Each iteration makes progress: there is less pending work, or the next time is later. Without progress the poll
/// would never return.
///
/// ```swift
/// var bound = PollBound()
/// while true {
///     if let action = next() { return action }
///     guard bound.take() else { return end(.internalError(pollsWithoutProgress: bound.count)) }
/// }
/// ```
///
/// A pure value: it reads no clock.
package struct PollBound: Sendable {
    /// The maximum number of iterations of one poll that return nothing. Real polls take fewer than ten; this limit
    /// takes milliseconds.
    @inlinable package static var limit: Int { 1000 }
    /// How long a driver waits at least where a poll names a time that is not later.
    package static let shortestWait = MediaDuration.milliseconds(1)

    @usableFromInline var iterationCount = 0
    @usableFromInline let limit: Int

    /// Creates a bound.
    @inlinable
    package init(_ limit: Int = PollBound.limit) { self.limit = limit }

    /// The iterations so far.
    @inlinable package var count: Int { iterationCount }

    /// Registers an iteration; returns `false` if it is the last one.
    @inlinable
    package mutating func take() -> Bool {
        iterationCount &+= 1
        return iterationCount < limit
    }

    /// A time to wait until that is later than `now`, so that a driver that waits for it does not spin.
    package static func wait(until time: MediaTime, after now: MediaTime) -> MediaTime {
        time > now ? time : now + shortestWait
    }
}

/// Bounds how long something may stay due without anything done about it: ``PollBound/limit`` polls,
/// ``PollBound/shortestWait`` apart.
///
/// That is a second. What is due may have to wait for a moment, as a check of ICE for the pace of checks. Polls that
/// come sooner, as with each datagram, do not count.
///
/// A pure value: it reads no clock.
package struct WakeBound: Sendable {
    private var bound = PollBound()
    private var lastTime: MediaTime?

    package init() {}

    /// The polls so far that did nothing about what is due.
    package var count: Int { bound.count }

    /// Registers a poll that returns no action.
    ///
    /// - Parameters:
    ///   - time: when the poll wants to be called again.
    ///   - now: the current time.
    /// - Returns: a later time; `nil` if nothing was done for too long.
    package mutating func wait(until time: MediaTime, after now: MediaTime) -> MediaTime? {
        guard time <= now else {
            reset()
            return time
        }
        if let lastTime, now - lastTime < PollBound.shortestWait { return now + PollBound.shortestWait }
        lastTime = now
        return bound.take() ? now + PollBound.shortestWait : nil
    }

    /// Registers progress.
    package mutating func reset() { self = WakeBound() }
}
