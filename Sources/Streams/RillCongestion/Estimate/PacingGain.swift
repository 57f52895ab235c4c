/// The pacing rate for a bitrate. The gain (pacing rate over bitrate) is higher for a lower bitrate, which makes
/// flows fair whose frames leave at the same time.
///
/// The trains of such flows always interleave at the bottleneck. The dispersion of a flow's own train then measures
/// its share of the arrivals there. That share is the flow's pacing rate over the sum of all:
///
///     measured = capacity x pacing rate / (sum of all pacing rates)
///
/// To each flow this looks like a link of its own without cross traffic. With one gain for all, every division would
/// confirm itself: bitrates follow the measurements, and the measurements follow the bitrates. Here the pacing rates
/// differ less than the bitrates. A flow with a third of another's bitrate has half of its pacing rate, so it
/// measures more than it has, and the other less. Only equal bitrates are stable.
///
/// A flow without competitors measures the capacity at any pacing rate above it.
enum PacingGain {
    /// The pacing rate is this share of the bitrate, plus ``extra`` in bits per second.
    private static let share = 0.5
    /// With ``share`` it gives a gain of 1.5 at 1200 kbit/s.
    private static let extra = 1_200_000.0
    /// The bounds of the gain.
    ///
    /// Below the lowest one, trains would not reveal capacity that becomes available. Above the highest one, a frame
    /// would only wait at the bottleneck instead of in the pacer. A radio link of varying capacity has longer queues,
    /// so its highest gain is lower.
    private static let factors = (least: 1.3, most: 2.0, mostUnsteady: 1.6)

    /// The pacing rate for a bitrate, both in bits per second.
    ///
    /// - Parameters:
    ///   - rate: the bitrate.
    ///   - isSteady: whether the capacity has been constant for some seconds.
    static func of(_ rate: Double, isSteady: Bool = true) -> Double {
        let most = isSteady ? factors.most : factors.mostUnsteady
        return min(max(share * rate + extra, factors.least * rate), most * rate)
    }
}
