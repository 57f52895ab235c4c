/// Measures how much the stillest blocks of each picture differ from the reference: the noise of the source.
struct NoiseMeter: Sendable {
    /// The mean squared difference of those blocks, smoothed over eight pictures, in code values squared; 0 before the
    /// first picture.
    private(set) var noise = 0.0
    private var isEmpty = true
    private var count = 0
    /// Blocks by their mean squared difference, in quarters.
    private var histogram: [Int32] = Array(repeating: 0, count: Self.binCount)

    private static let binCount = 256
    private static let binsPerUnit = 4.0
    private static let smoothing = 1.0 / 8

    /// Adds a block with that sum of squared differences, of ``StillLimits/lumaCount`` samples.
    @inline(__always)
    mutating func add(_ squares: Int32) {
        // 128 samples: 32 is a quarter of a mean square.
        histogram[min(Self.binCount - 1, Int(squares &>> 5))] &+= 1
        count &+= 1
    }

    /// Updates the noise with the mean squared difference that a share of the picture's blocks do not exceed.
    mutating func finishPicture(at share: Double) {
        guard count > 0 else { return }
        let wanted = Int32(Double(count) * share)
        var (bin, sum) = (0, histogram[0])
        while sum <= wanted, bin < Self.binCount - 1 {
            bin += 1
            sum += histogram[bin]
        }
        let value = (Double(bin) + 0.5) / Self.binsPerUnit
        noise = isEmpty ? value : noise + (value - noise) * Self.smoothing
        isEmpty = false
        count = 0
        for bin in histogram.indices { histogram[bin] = 0 }
    }
}
