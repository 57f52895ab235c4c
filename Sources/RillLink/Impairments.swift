import RillCore

/// The random part of a link: what is to happen to each datagram.
///
/// Every kind of impairment draws from a generator of its own, as often for each datagram, whatever becomes of it. So the
/// settings do not disturb each other: with the same seed, a larger loss loses the same datagrams and some more, and
/// adding jitter leaves the losses where they are.
struct Impairments {
    private var lossGenerator: SeededGenerator
    private var jitterGenerator: SeededGenerator
    private var reorderGenerator: SeededGenerator
    private var duplicateGenerator: SeededGenerator
    private var corruptGenerator: SeededGenerator
    private var burst: BurstLossProcess
    private var wifi: WiFiProcess?
    private var spikes: DelaySpikeProcess?
    private let settings: LinkSettings

    /// What is to happen to one datagram.
    struct Draw {
        var isLostInBurst: Bool
        var isLost: Bool
        /// For the wireless channel, should it have to wait for a turn of its own.
        var wait: MediaDuration
        /// From the bottleneck to the receiver, jitter included; never negative.
        var delay: MediaDuration
        var isHeldBack: Bool
        var isDuplicated: Bool
        /// Where bits are to be flipped, if any are.
        var corruption: Corruption?
    }

    init(_ settings: LinkSettings) {
        var seeds = SeededGenerator(seed: settings.seed)
        // New ones come last: the traces of older settings stay what they are.
        lossGenerator = SeededGenerator(seed: seeds.next())
        jitterGenerator = SeededGenerator(seed: seeds.next())
        reorderGenerator = SeededGenerator(seed: seeds.next())
        duplicateGenerator = SeededGenerator(seed: seeds.next())
        corruptGenerator = SeededGenerator(seed: seeds.next())
        burst = BurstLossProcess(settings.burst, SeededGenerator(seed: seeds.next()))
        wifi = WiFiProcess(settings.wifi, SeededGenerator(seed: seeds.next()))
        spikes = DelaySpikeProcess(settings.spikes, SeededGenerator(seed: seeds.next()))
        self.settings = settings
    }

    mutating func draw() -> Draw {
        let deviation = settings.jitter.scaled(byGaussian: &jitterGenerator)
        let isCorrupted = settings.corrupt.draw(using: &corruptGenerator)
        let places = corruptGenerator.next()
        return Draw(
            isLostInBurst: burst.draw(),
            isLost: settings.loss.draw(using: &lossGenerator),
            wait: wifi?.draw() ?? .zero,
            delay: max(.zero, settings.delay + deviation),
            isHeldBack: settings.reorder.draw(using: &reorderGenerator),
            isDuplicated: settings.duplicate.draw(using: &duplicateGenerator),
            corruption: isCorrupted ? Corruption(seed: places) : nil)
    }

    /// When a datagram that leaves the bottleneck at `time`, which never goes back, is through the wireless hop.
    mutating func passWiFi(_ draw: Draw, at time: MediaTime) -> MediaTime {
        wifi?.pass(at: time, wait: draw.wait) ?? time
    }

    /// Why a datagram does not get past `time`, if it does not.
    func loss(_ draw: Draw, at time: MediaTime) -> LossReason? {
        for blackout in settings.blackouts where blackout.contains(time) { return .blackout }
        return draw.isLostInBurst ? .burst : draw.isLost ? .random : nil
    }

    /// When a datagram that comes to the spikes at `time`, which never goes back, gets on.
    mutating func passSpikes(at time: MediaTime) -> MediaTime {
        spikes?.pass(at: time) ?? time
    }
}
