import RillCore

/// The random part of a link: what is to happen to each datagram.
///
/// Every kind of impairment draws from a generator of its own, once for each datagram, whatever becomes of it. So the
/// settings do not disturb each other: with the same seed, a larger loss loses the same datagrams and some more, and
/// adding jitter leaves the losses where they are.
struct Impairments {
    private var lossGenerator: SeededGenerator
    private var jitterGenerator: SeededGenerator
    private var reorderGenerator: SeededGenerator
    private var duplicateGenerator: SeededGenerator
    private let settings: LinkSettings

    /// What is to happen to one datagram.
    struct Draw {
        var isLost: Bool
        /// From the bottleneck to the receiver, jitter included; never negative.
        var delay: MediaDuration
        var isHeldBack: Bool
        var isDuplicated: Bool
    }

    init(_ settings: LinkSettings) {
        var seeds = SeededGenerator(seed: settings.seed)
        lossGenerator = SeededGenerator(seed: seeds.next())
        jitterGenerator = SeededGenerator(seed: seeds.next())
        reorderGenerator = SeededGenerator(seed: seeds.next())
        duplicateGenerator = SeededGenerator(seed: seeds.next())
        self.settings = settings
    }

    mutating func draw() -> Draw {
        let deviation = settings.jitter.scaled(byGaussian: &jitterGenerator)
        return Draw(
            isLost: settings.loss.draw(using: &lossGenerator),
            delay: max(.zero, settings.delay + deviation),
            isHeldBack: settings.reorder.draw(using: &reorderGenerator),
            isDuplicated: settings.duplicate.draw(using: &duplicateGenerator))
    }
}

extension MediaDuration {
    /// This length times a number from the standard normal distribution, drawn from six numbers of the generator.
    ///
    /// The sum of twelve uniform numbers, less its mean of six, has a variance of one and follows the Gaussian closely
    /// up to three standard deviations; it ends at six. Unlike the usual ways over logarithm and sine, which differ
    /// from one C library and processor to the next, it is whole numbers only: the same trace on every machine.
    fileprivate func scaled(byGaussian generator: inout SeededGenerator) -> MediaDuration {
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
