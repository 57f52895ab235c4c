/// Tokens that come at a rate, and are taken: up to a limit they are kept, so that what a network held back for a
/// moment may pass at once. It never owes any: behind a flood, what is within the rate passes at once.
package struct TokenBucket: Sendable {
    private let rate: Double
    private let limit: Double
    private var count: Double
    private var time = MediaTime(nanoseconds: .min / 2)

    /// A full bucket.
    ///
    /// - Parameters:
    ///   - rate: the tokens that come in a second.
    ///   - limit: the most that are kept; `nil` for those of a second.
    package init(perSecond rate: Double, limit: Double? = nil) {
        (self.rate, self.limit, count) = (rate, limit ?? rate, limit ?? rate)
    }

    /// Whether there are so many.
    package mutating func has(_ wanted: Double, at now: MediaTime) -> Bool {
        count = min(limit, count + rate * min((now - time).seconds, limit / rate))
        time = now
        return count >= wanted
    }

    /// Takes so many.
    package mutating func take(_ taken: Double) { count -= taken }
}
