import RillPages

/// Ratios as people read them.
enum RatioText {
    /// `1.07×`, `14.2×`; of instructions, which repeat, `1.021×`.
    static func times(_ ratio: Double, _ measure: Measure) -> String {
        let finest = measure == .instructions ? 3 : 2
        return Decimal.text(ratio, decimals: ratio < 10 ? finest : ratio < 100 ? 1 : 0) + "×"
    }

    /// The median, and the middle half where its ends differ.
    static func text(_ comparison: Comparison) -> String {
        let whole = times(comparison.ratio, comparison.measure)
        let (low, high) = (
            times(comparison.lowQuartile, comparison.measure), times(comparison.highQuartile, comparison.measure)
        )
        return low == high ? whole : "\(whole) (\(low.dropLast())–\(high.dropLast()))"
    }

    /// A share of one in percent, both ways.
    static func scatter(_ share: Double) -> String { "±" + Decimal.percent(share) }
}
