/// Where Rill stands beside another in one quantity of which less is better.
enum Verdict: String, Codable, CaseIterable, Sendable {
    /// Rill takes less, by more than chance.
    case ahead
    /// The difference is within what a command differs from itself.
    case level
    /// Rill takes more, by more than chance.
    case behind

    /// - Parameters:
    ///   - ratios: the other's over Rill's, turn by turn. Where their middle half lies on both sides of 1, it is chance
    ///     who is ahead.
    ///   - scatter: how far a command strays from itself in the same run, as a share of one.
    init(_ ratios: Sample, scatter: Double) {
        let ratio = ratios.median
        // Both ways alike: a ratio of 1/(1+s) is as far from 1 as one of 1+s.
        if ratio > 1 + scatter, ratios.lowQuartile > 1 {
            self = .ahead
        } else if ratio * (1 + scatter) < 1, ratios.highQuartile < 1 {
            self = .behind
        } else {
            self = .level
        }
    }
}
