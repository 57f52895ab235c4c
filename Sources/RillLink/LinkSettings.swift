public import RillCore

/// How an ``EmulatedLink`` treats what is sent over it.
///
///     let settings = try LinkSettings(loss: .percent(2), delay: .milliseconds(40), jitter: .milliseconds(10))
///     let same = try LinkSettings(notation: "loss=2%,delay=40ms,jitter=10ms")
///
/// The defaults are those of a perfect link: everything arrives at once, in order.
public struct LinkSettings: Hashable, Sendable {
    // MARK: Loss

    /// The probability with which a datagram is lost, each on its own. Default 0 %.
    public internal(set) var loss = Percentage.zero
    /// Loss that comes in bursts, beside ``loss``. Default `nil`: none.
    public internal(set) var burst: BurstLoss?
    /// Times in which nothing gets through. Default: none.
    public internal(set) var blackouts: [Blackout] = []

    // MARK: Delay

    /// The time from the bottleneck to the receiver, 0 to 60 s. Default 0 s.
    public internal(set) var delay = MediaDuration.zero
    /// The standard deviation of the delay, 0 to 60 s. Default 0 s.
    ///
    /// The delay of each datagram is drawn from a Gaussian distribution around ``delay``; what would fall below zero is
    /// zero. The usual stand-in (netem's too) for many small queues on the way: of any shape, their sum is near it.
    public internal(set) var jitter = MediaDuration.zero
    /// Delay that jumps up at random moments and drains. Default `nil`: none.
    public internal(set) var spikes: DelaySpikes?
    /// A wireless hop: aggregates that wait for the channel. Default `nil`: none.
    public internal(set) var wifi: WiFiAccess?

    // MARK: Order

    /// What ``jitter`` does to the order. Default: nothing.
    public internal(set) var order = PacketOrder.kept
    /// The probability with which a datagram is held back by ``reorderDelay``, so that later ones overtake it.
    /// Default 0 %.
    public internal(set) var reorder = Percentage.zero
    /// By how much a datagram that is to be overtaken is held back, 0 to 60 s. Default 40 ms: longer than the frame
    /// interval at 30 frames a second.
    public internal(set) var reorderDelay = MediaDuration.milliseconds(40)

    // MARK: Damage

    /// The probability with which a second copy arrives, ``duplicateDelay`` after the first. Default 0 %.
    public internal(set) var duplicate = Percentage.zero
    /// How long the second copy comes after the first, 0 to 60 s. Default 1 ms.
    public internal(set) var duplicateDelay = MediaDuration.milliseconds(1)
    /// The probability with which one to three bits of a datagram are flipped. Default 0 %.
    public internal(set) var corrupt = Percentage.zero

    // MARK: Rate

    /// The rate of the bottleneck, constant or in steps of 1 kbit/s to 1 Tbit/s; `nil`, the default, for a link without
    /// one. It counts the bytes of the datagrams, not those of the headers below them.
    public internal(set) var rate: RateSchedule?
    /// A measured trace in place of ``rate``: when the bottleneck lets bytes through. Default `nil`: none.
    public internal(set) var trace: DeliveryTrace?
    /// How much may wait for the bottleneck. Default `nil`: what takes 300 ms or 64 000 bytes, whichever is more, so that
    /// the key frame of a sender that does not pace fits.
    public internal(set) var queueLimit: QueueLimit?

    /// What all random draws follow from. Default 1.
    public internal(set) var seed: UInt64 = 1

    /// A perfect link: no loss, no delay, no limit.
    public static let clean = LinkSettings()

    init() {}

    /// The same link with other random draws: for the way back, or for the next run of a series.
    public func seeded(_ seed: UInt64) -> LinkSettings {
        var settings = self
        settings.seed = seed
        return settings
    }

    /// The least time from sending to arrival, from which the delay that a receiver adds is counted.
    ///
    /// `nil` where it is a matter of chance (``jitter``, ``wifi``), of the datagrams' sizes (``rate``) or of the moment
    /// (``trace``): then ``LinkStatistics/smallestDelay`` says what it came to, or the log that an observer keeps.
    public var smallestDelay: MediaDuration? {
        jitter == .zero && wifi == nil && rate == nil && trace == nil ? delay : nil
    }
}

/// What becomes of the order of datagrams whose delays differ.
public enum PacketOrder: String, Hashable, Sendable, CaseIterable {
    /// None overtakes another: it arrives with the one before it at the earliest, as in a queue.
    case kept
    /// Each arrives when its own delay is over, as on several ways at once.
    case byDelay = "by-delay"
}
