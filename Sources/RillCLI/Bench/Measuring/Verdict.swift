/// Where Rill stands beside another in one quantity of which less is better.
enum Verdict: String, Codable, CaseIterable, Sendable {
    /// Rill takes less, by more than chance.
    case ahead
    /// The difference is within what a command differs from itself.
    case level
    /// Rill takes more, by more than chance.
    case behind

    /// - Parameters:
    ///   - ratio: the other's over Rill's.
    ///   - scatter: how far a command strays from itself in the same run, as a share of one.
    init(ratio: Double, scatter: Double) {
        // Both ways alike: a ratio of 1/(1+s) is as far from 1 as one of 1+s.
        self = ratio > 1 + scatter ? .ahead : ratio * (1 + scatter) < 1 ? .behind : .level
    }
}
