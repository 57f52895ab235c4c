public import RillCore

/// The properties of an ``EmulatedLink``.
///
/// ```swift
/// let settings = try LinkSettings(loss: .percent(2), delay: .milliseconds(40), jitter: .milliseconds(10))
/// let same = try LinkSettings(notation: "loss=2%,delay=40ms,jitter=10ms")
/// ```
///
/// The defaults are a perfect link: everything arrives at once, in order.
public struct LinkSettings: Hashable, Sendable {
    // MARK: Loss

    /// The probability of loss, for each datagram individually. 0 % by default.
    public internal(set) var loss = Percentage.zero
    /// Loss in bursts, in addition to ``loss``. `nil` by default: none.
    public internal(set) var burst: BurstLoss?
    /// Times in which nothing gets through. None by default.
    public internal(set) var blackouts: [Blackout] = []

    // MARK: Delay

    /// The time from the bottleneck to the receiver, 0 to 60 s. 0 s by default.
    public internal(set) var delay = MediaDuration.zero
    /// The standard deviation of the delay, 0 to 60 s. 0 s by default.
    ///
    /// The delay of each datagram is drawn from a Gaussian distribution around ``delay``; values below zero are zero.
    /// This is the usual model (also netem's) of many small queues on the path: whatever their shapes, their sum is
    /// close to it.
    public internal(set) var jitter = MediaDuration.zero
    /// Delay that jumps up at random times and drains. `nil` by default: none.
    public internal(set) var spikes: DelaySpikes?
    /// A wireless hop: aggregates that wait for the channel. `nil` by default: none.
    public internal(set) var wifi: WiFiAccess?

    // MARK: Order

    /// What ``jitter`` does to the order. Nothing by default.
    public internal(set) var order = PacketOrder.kept
    /// The probability that a datagram is held back by ``reorderDelay``, so that later ones overtake it. 0 % by
    /// default.
    public internal(set) var reorder = Percentage.zero
    /// How long a reordered datagram is held back, 0 to 60 s. 40 ms by default: longer than the frame interval at 30
    /// frames per second.
    public internal(set) var reorderDelay = MediaDuration.milliseconds(40)

    // MARK: Damage

    /// The probability that a second copy arrives, ``duplicateDelay`` after the first. 0 % by default.
    public internal(set) var duplicate = Percentage.zero
    /// The delay of the second copy after the first, 0 to 60 s. 1 ms by default.
    public internal(set) var duplicateDelay = MediaDuration.milliseconds(1)
    /// The probability that one to three bits of a datagram are flipped. 0 % by default.
    public internal(set) var corrupt = Percentage.zero

    // MARK: Rate

    /// The rate of the bottleneck, constant or in steps, 1 kbit/s to 1 Tbit/s; `nil`, the default, for a link without
    /// one. It counts the bytes of the datagrams, and ``headerByteCount``.
    public internal(set) var rate: RateSchedule?
    /// A measured trace instead of ``rate``: when the bottleneck lets bytes through. `nil` by default: none.
    public internal(set) var trace: DeliveryTrace?
    /// How much may wait for the bottleneck. `nil` by default: what takes 300 ms or 64 000 bytes, whichever is more,
    /// so that a key frame of a sender without pacing fits.
    public internal(set) var queueLimit: QueueLimit?
    /// The bytes of headers that the bottleneck and its queue count for each datagram, 0 to 1000: 28 for IPv4 and UDP,
    /// 48 for IPv6 and UDP. 0 by default. A datagram arrives without them.
    public internal(set) var headerByteCount = 0
    /// Cross traffic: the rate, constant or in steps, of packets that share the bottleneck and are not delivered. 0,
    /// also at the end, or 1 kbit/s to 1 Gbit/s, headers included. `nil` by default: none.
    ///
    /// ``BottleneckStatistics`` counts it. Together with the datagrams it may exceed the capacity; then the queue drops
    /// both. A packet comes whenever the rate has carried its bits.
    public internal(set) var crossTraffic: RateSchedule?
    /// The size of a packet of ``crossTraffic``, headers included, 40 to 65 535 bytes. 1200 by default.
    public internal(set) var crossPacketByteCount = 1200
    /// TCP flows that share the bottleneck, at most ``CUBICFlow/maximumCount``. None by default.
    public internal(set) var cubicFlows: [CUBICFlow] = []

    /// The seed of all random draws. 1 by default.
    public internal(set) var seed: UInt64 = 1

    /// A perfect link: no loss, no delay, no limit.
    public static let clean = LinkSettings()

    init() {}

    /// Returns the same settings with another seed: for the return path, or for the next run of a series.
    public func seeded(_ seed: UInt64) -> LinkSettings {
        var settings = self
        settings.seed = seed
        return settings
    }

    /// Whether the settings of the bottleneck are the same: rate or trace, queue, headers, and what shares it.
    package func hasSameBottleneck(as other: LinkSettings) -> Bool {
        rate == other.rate && trace == other.trace && queueLimit == other.queueLimit
            && headerByteCount == other.headerByteCount && crossTraffic == other.crossTraffic
            && crossPacketByteCount == other.crossPacketByteCount && cubicFlows == other.cubicFlows
    }

    /// The shortest time from sending to arrival, relative to which the delay of a receiver is measured.
    ///
    /// `nil` if it depends on chance (``jitter``, ``wifi``), on the datagrams' sizes (``rate``) or on the time
    /// (``trace``): then ``LinkStatistics/smallestDelay`` has the actual value, or an observer's log.
    public var smallestDelay: MediaDuration? {
        jitter == .zero && wifi == nil && rate == nil && trace == nil ? delay : nil
    }
}

/// How datagrams with different delays are ordered.
public enum PacketOrder: String, Hashable, Sendable, CaseIterable {
    /// None overtakes another: it arrives with the previous one at the earliest, as in a queue.
    case kept
    /// Each arrives after its own delay, as over several paths.
    case byDelay = "by-delay"
}
