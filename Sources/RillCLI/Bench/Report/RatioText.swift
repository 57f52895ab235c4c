import RillPages

/// Ratios as people read them.
enum RatioText {
    /// `1.07×`, `14×`.
    static func times(_ ratio: Double) -> String {
        Decimal.text(ratio, decimals: ratio < 10 ? 2 : ratio < 100 ? 1 : 0) + "×"
    }

    /// The median, and the middle half where its ends differ.
    static func text(_ comparison: Comparison) -> String {
        let whole = times(comparison.ratio)
        let (low, high) = (times(comparison.lowQuartile), times(comparison.highQuartile))
        return low == high ? whole : "\(whole) (\(low.dropLast())–\(high.dropLast()))"
    }

    /// A share of one in percent, both ways.
    static func scatter(_ share: Double) -> String { "±" + Decimal.percent(share) }
}
