import RillCore

/// The random part of a link: it draws what happens to each datagram.
///
/// Each kind of impairment has its own generator, and draws the same number of times for each datagram, whatever
/// becomes of it. So the settings do not affect each other: with the same seed, a larger loss loses the same
/// datagrams and some more, and adding jitter does not change the losses.
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

    /// What happens to one datagram.
    struct Draw {
        var isLostInBurst: Bool
        var isLost: Bool
        /// The wait for the wireless channel, if the datagram starts an aggregate.
        var wait: MediaDuration
        /// From the bottleneck to the receiver, including jitter; never negative.
        var delay: MediaDuration
        var isHeldBack: Bool
        var isDuplicated: Bool
        /// The bits to flip; `nil` for none.
        var corruption: Corruption?
    }

    init(_ settings: LinkSettings) {
        var seeds = SeededGenerator(seed: settings.seed)
        // New generators come last, so that the results of older settings do not change.
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

    /// Returns when a datagram that leaves the bottleneck at `time`, which must not go back, has passed the wireless
    /// hop.
    mutating func passWiFi(_ draw: Draw, at time: MediaTime) -> MediaTime {
        wifi?.pass(at: time, wait: draw.wait) ?? time
    }

    /// Returns why a datagram is lost at `time`; `nil` if it is not.
    func loss(_ draw: Draw, at time: MediaTime) -> LossReason? {
        for blackout in settings.blackouts where blackout.contains(time) { return .blackout }
        return draw.isLostInBurst ? .burst : draw.isLost ? .random : nil
    }

    /// Returns when a datagram that reaches the spikes at `time`, which must not go back, continues.
    mutating func passSpikes(at time: MediaTime) -> MediaTime {
        spikes?.pass(at: time) ?? time
    }
}
