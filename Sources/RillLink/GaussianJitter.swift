import RillCore

extension MediaDuration {
    /// This length times a number from the standard normal distribution, drawn from six numbers of the generator.
    ///
    /// The sum of twelve uniform numbers, less its mean of six, has a variance of one and follows the Gaussian closely
    /// up to three standard deviations; it ends at six. Unlike the usual ways over logarithm and sine, which differ
    /// from one C library and processor to the next, it is whole numbers only: the same trace on every machine.
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
