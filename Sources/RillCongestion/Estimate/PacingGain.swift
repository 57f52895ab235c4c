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
enum PacingGain {
    /// The pace is this share of the rate, and ``extra``, in bits per second.
    private static let share = 0.5
    /// With ``share`` half as fast again as the rate at 1200 kbit/s.
    private static let extra = 1_200_000.0
    /// The bounds of the pace as multiples of the rate. Below the lowest one trains would not show capacity that comes back, and above the
    /// highest one a frame would only wait at the bottleneck instead of here. That is long on a slow radio link, which goes by itself from
    /// moment to moment: there the highest is lower.
    private static let factors = (least: 1.3, most: 2.0, mostUnsteady: 1.6)

    /// The pace at a rate, both in bits per second.
    ///
    /// - Parameters:
    ///   - rate: the rate.
    ///   - isSteady: whether the capacity stays the same for some seconds.
    static func of(_ rate: Double, isSteady: Bool = true) -> Double {
        let most = isSteady ? factors.most : factors.mostUnsteady
        return min(max(share * rate + extra, factors.least * rate), most * rate)
    }
}
