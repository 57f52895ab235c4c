package import RillCore

/// When to try again: after 0.25 s, then after twice as long each time, at most after 2 s; for a client that had a
/// session after 1 s, so that it is back soon after its network.
///
/// A server that restarts has its clients back a few seconds later. It may ask for more time (`Retry-After`, RFC 9110
/// §10.2.3), up to a minute.
package struct RetrySchedule: Equatable, Sendable {
    /// The failures since the last success.
    package private(set) var failureCount = 0

    /// The shortest time to wait.
    package static let first = MediaDuration.milliseconds(250)
    static let longest = MediaDuration.seconds(2)
    private static let longestOfReturn = MediaDuration.seconds(1)
    /// The longest time that a server may ask for.
    package static let longestAsked = MediaDuration.seconds(60)

    /// A schedule without failures.
    package init() {}

    /// Counts a failure.
    ///
    /// - Parameters:
    ///   - asked: the time from the server's `Retry-After`, if it sent one.
    ///   - comesBack: whether there was a session before.
    /// - Returns: the time to wait.
    package mutating func fail(askedToWait asked: MediaDuration? = nil, comesBack: Bool = false) -> MediaDuration {
        let doublings = min(failureCount, 3)
        failureCount = min(failureCount + 1, 1_000_000)
        let longest = comesBack ? RetrySchedule.longestOfReturn : RetrySchedule.longest
        let usual = min(RetrySchedule.first * (1 << doublings), longest)
        return max(usual, min(asked ?? .zero, RetrySchedule.longestAsked))
    }

    /// Forgets the failures.
    package mutating func succeed() { failureCount = 0 }

    /// The seconds of a `Retry-After` field; `nil` for a date, which needs a wall clock, and for other text.
    package static func asked(_ value: String?) -> MediaDuration? {
        guard let value, (1...9).contains(value.utf8.count), value.utf8.allSatisfy({ (0x30...0x39).contains($0) }),
            let seconds = Int(value)
        else { return nil }
        return .seconds(min(seconds, 86_400))
    }
}
