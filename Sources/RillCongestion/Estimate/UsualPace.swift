/// How fast packets leave at a rate: faster than the rate, by a factor that is higher for a lower rate. That is what makes flows equal whose
/// frames leave at the same time.
///
/// The packet trains of such flows always lie between each other at the bottleneck. What a flow's own train then shows as the capacity is
/// its share of what arrives there, and that is the share of its pace in all paces:
///
///     reading = capacity x pace / (sum of all paces)
///
/// To each flow that looks like a link of its own, without anybody else's queue. If all paces were the same multiple of the rates, any
/// division would confirm itself: the rates follow the readings, and the readings the rates. Here the paces are more alike than the rates.
/// A flow of a third of another's rate has half of its pace, so it reads more than it has, and the others less. Only equal rates last.
///
/// A flow that is alone reads the same at any pace above the capacity.
enum UsualPace {
    /// The pace is this share of the rate, and ``extra``, in bits per second.
    private static let share = 0.5
    /// With ``share`` half as fast again as the rate at 1200 kbit/s.
    private static let extra = 1_200_000.0
    /// The bounds of the pace as multiples of the rate. Below the lower one trains would not show capacity that comes back, and above the
    /// higher one a frame would only wait at the bottleneck instead of here, which is long on a slow radio link.
    private static let factors = 1.3...2.0

    /// The pace at a rate, both in bits per second.
    static func of(_ rate: Double) -> Double {
        min(max(share * rate + extra, factors.lowerBound * rate), factors.upperBound * rate)
    }
}
