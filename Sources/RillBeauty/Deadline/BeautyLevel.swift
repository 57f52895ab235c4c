/// How much of the filter's work is done for a frame, in the order in which a ``BeautyDeadline`` reduces it.
public enum BeautyLevel: Int, Codable, Hashable, Sendable, CaseIterable, Comparable {
    /// All of it.
    case full
    /// The mask is computed for every third frame, and reused for the others.
    case rareMask
    /// In addition, skin is smoothed from statistics at half the resolution in each direction.
    case halfStatistics
    /// Skin is not smoothed, and statistics are only computed with a new mask.
    case unsmoothed

    /// Whether `a` does more work.
    public static func < (a: BeautyLevel, b: BeautyLevel) -> Bool { a.rawValue < b.rawValue }

    /// The number of frames from one mask to the next.
    var maskInterval: Int { self == .full ? 1 : 3 }

    /// Whether skin is smoothed.
    var smooths: Bool { self != .unsmoothed }

    /// Whether statistics are those of four cells at once.
    var isCoarse: Bool { self >= .halfStatistics }

    func limited(_ amounts: BeautyAmounts) -> BeautyAmounts {
        guard !smooths else { return amounts }
        var amounts = amounts
        amounts.smoothing = 0
        return amounts
    }
}
