public import RillCore

/// How an ``EmulatedLink`` treats what is sent over it.
///
///     let settings = try LinkSettings(loss: .percent(2), delay: .milliseconds(40), jitter: .milliseconds(10))
///     let same = try LinkSettings(notation: "loss=2%,delay=40ms,jitter=10ms")
///
/// The defaults are those of a perfect link: everything arrives at once, in order.
public struct LinkSettings: Hashable, Sendable {
    /// The probability with which a datagram is lost, each on its own. Default 0 %.
    public internal(set) var loss = Percentage.zero
    /// The time from the bottleneck to the receiver, 0 to 60 s. Default 0 s.
    public internal(set) var delay = MediaDuration.zero
    /// The standard deviation of the delay, 0 to 60 s. Default 0 s.
    ///
    /// The delay of each datagram is drawn from a Gaussian distribution around ``delay``; what would fall below zero is
    /// zero. Jitter alone never changes the order.
    public internal(set) var jitter = MediaDuration.zero
    /// The probability with which a datagram is held back by ``reorderDelay``, so that later ones overtake it.
    /// Default 0 %.
    public internal(set) var reorder = Percentage.zero
    /// By how much a datagram that is to be overtaken is held back, 0 to 60 s. Default 40 ms: longer than the frame
    /// interval at 30 frames a second.
    public internal(set) var reorderDelay = MediaDuration.milliseconds(40)
    /// The probability with which a second copy arrives, 1 ms after the first. Default 0 %.
    public internal(set) var duplicate = Percentage.zero
    /// The rate of the bottleneck, 1 kbit/s to 1 Tbit/s; `nil`, the default, for a link without one. It counts the
    /// bytes of the datagrams, not those of the headers below them.
    public internal(set) var rate: Bitrate?
    /// The longest that a datagram may wait for the bottleneck, 0 to 60 s; one that would have to wait longer is
    /// dropped. Default `nil`: 300 ms, or as long as 64 000 bytes take where that is longer, so that the key frame of
    /// a sender that does not pace fits.
    public internal(set) var queueLimit: MediaDuration?
    /// What all random draws follow from. Default 1.
    public internal(set) var seed: UInt64 = 1

    /// The most that ``delay``, ``jitter``, ``reorderDelay`` and ``queueLimit`` may be.
    public static let maximumDuration = MediaDuration.seconds(60)
    /// What ``rate`` may be.
    public static let rateRange = Bitrate.kilobits(1)...Bitrate.megabits(1_000_000)

    /// A perfect link: no loss, no delay, no limit.
    public static let clean = LinkSettings()

    init() {}

    /// Settings for a link; each one is described at its property.
    ///
    /// - Throws: `durationOutOfRange` or `rateOutOfRange`.
    public init(
        loss: Percentage = .zero, delay: MediaDuration = .zero, jitter: MediaDuration = .zero,
        reorder: Percentage = .zero, reorderDelay: MediaDuration = LinkSettings.clean.reorderDelay,
        duplicate: Percentage = .zero, rate: Bitrate? = nil, queueLimit: MediaDuration? = nil,
        seed: UInt64 = LinkSettings.clean.seed
    ) throws(NetworkError) {
        self.loss = loss
        self.delay = delay
        self.jitter = jitter
        self.reorder = reorder
        self.reorderDelay = reorderDelay
        self.duplicate = duplicate
        self.rate = rate
        self.queueLimit = queueLimit
        self.seed = seed
        try validate()
    }

    func validate() throws(NetworkError) {
        let durations: [(Name, MediaDuration)] = [
            (.delay, delay), (.jitter, jitter), (.reorderDelay, reorderDelay), (.queue, queueLimit ?? .zero),
        ]
        for (name, duration) in durations where !(.zero...LinkSettings.maximumDuration).contains(duration) {
            throw .durationOutOfRange(name, duration, most: LinkSettings.maximumDuration)
        }
        if let rate, !LinkSettings.rateRange.contains(rate) { throw .rateOutOfRange(rate) }
    }

    /// The same link with other random draws: for the way back, or for the next run of a series.
    public func seeded(_ seed: UInt64) -> LinkSettings {
        var settings = self
        settings.seed = seed
        return settings
    }
}
