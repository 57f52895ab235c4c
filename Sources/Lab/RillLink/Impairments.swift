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

/// Flips one to three bits of a datagram, at positions that follow from `seed`. An empty datagram is not changed.
///
/// It models errors that pass the UDP checksum, which has sixteen bits, and is missing in some tunnels.
struct Corruption {
    private var generator: SeededGenerator
    private var flipCount: Int

    init(seed: UInt64) {
        generator = SeededGenerator(seed: seed)
        flipCount = 1 + Int(generator.next().multipliedFullWidth(by: 3).high)
    }

    mutating func damage(_ bytes: inout [UInt8]) {
        guard !bytes.isEmpty else { return }
        // Steps of at most a quarter of the whole: three positions differ, and none is flipped back.
        let bitCount = 8 * UInt64(bytes.count)
        var place = generator.next().multipliedFullWidth(by: bitCount).high
        let step = 1 + generator.next().multipliedFullWidth(by: bitCount / 4).high
        for _ in 0..<flipCount {
            bytes[Int(place / 8)] ^= 1 << (place % 8)
            place = (place + step) % bitCount
        }
    }
}

extension MediaDuration {
    /// Returns this duration times a number from the standard normal distribution, drawn from six random numbers.
    ///
    /// The sum of twelve uniform numbers, minus its mean of six, has a variance of one and follows the Gaussian
    /// closely up to three standard deviations; it ends at six. The usual methods use logarithm and sine, which
    /// differ between C libraries and processors. This one only uses integers: the same trace on every machine.
    func scaled(byGaussian generator: inout SeededGenerator) -> MediaDuration {
        var sum: Int64 = 0
        for _ in 0..<6 {
            let bits = generator.next()
            sum += Int64(bits >> 32) + Int64(bits & 0xFFFF_FFFF)
        }
        // Twelve numbers from 0 to 2^32 - 1 have a mean of 6 * 2^32 - 6.
        let deviation = sum - ((6 << 32) - 6)
        return MediaDuration(nanoseconds: Int64(truncatingIfNeeded: (Int128(nanoseconds) * Int128(deviation)) >> 32))
    }
}
