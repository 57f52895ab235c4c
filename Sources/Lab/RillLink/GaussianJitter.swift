import RillCore

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
