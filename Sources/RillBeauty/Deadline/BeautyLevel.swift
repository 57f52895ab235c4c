/// How much of the filter's work is done for a frame, in the order in which a ``BeautyDeadline`` gives it up.
public enum BeautyLevel: Int, Codable, Hashable, Sendable, CaseIterable, Comparable {
    /// All of it.
    case full
    /// The mask is made for every third frame, and holds for the others.
    case rareMask
    /// Skin is smoothed from half as many statistics each way, too.
    case halfStatistics
    /// Skin is not smoothed, and nothing is measured but with a new mask.
    case unsmoothed

    /// Whether less is given up.
    public static func < (a: BeautyLevel, b: BeautyLevel) -> Bool { a.rawValue < b.rawValue }

    /// From one mask to the next, in frames.
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
