/// How much a block may differ from the reference and still count as still.
///
/// The constants were fitted to three webcam clips, with and without noise, and hold for others (see
/// Benchmarks/README.md).
struct StillLimits: Sendable, Equatable {
    /// The samples that are compared: of a block of luma, of a quarter of it, and of a block of chroma.
    static let lumaCount = 128.0
    static let quarterCount = 32.0

    /// The largest sum of squared differences of luma.
    let squares: Int32
    /// The sum of squared differences of luma above which a block shows something else.
    let change: Int32
    /// The largest ``BlockErrors/pairs``.
    let pairs: Int32
    /// The largest difference of the sums of a quarter of luma: a change of light, or something faint that moves.
    let sum: Int32
    /// The largest sum of squared differences of a plane of chroma.
    let chromaSquares: Int32
    /// The largest difference of the sums of a plane of chroma.
    let chromaSum: Int32

    /// - Parameters:
    ///   - step: the quantizer's step of the reference, in code values of a sample.
    ///   - noise: the mean squared difference of luma from the reference where nothing moves, in code values squared.
    ///   - chromaNoise: the same of chroma.
    init(step: Double, noise: Double, chromaNoise: Double) {
        let area = step * step
        // The difference that the quantizer removes anyway, or most of the noise.
        squares = Self.total(min(0.06 * area, 1.5 * noise + min(3, 0.04 * area)), of: Self.lumaCount)
        change = 4 * squares
        // A pair of columns has eight samples, whose noise adds up to an eighth of what one error of all would.
        pairs = Self.total(3 * noise / 8 + min(0.8, 0.025 * area), of: 8 * Self.lumaCount)
        chromaSquares = Self.total(
            min(0.028 * area, 1.4 * chromaNoise + min(0.85, 0.009 * area)), of: Self.quarterCount)
        // A mean of 32 samples has a sixth of their noise.
        sum = Self.total(min(0.14 * step, 1.2 + 0.5 * noise.squareRoot()), of: Self.quarterCount)
        chromaSum = Self.total(min(0.11 * step, 0.8 + 0.5 * chromaNoise.squareRoot()), of: Self.quarterCount)
    }

    private static func total(_ mean: Double, of count: Double) -> Int32 { Int32(mean * count) }

    @inline(__always)
    func allowsLuma(_ sums: SIMD2<Int32>) -> Bool { max(abs(sums.x), abs(sums.y)) <= sum }

    @inline(__always)
    func allowsChroma(_ errors: BlockErrors) -> Bool {
        max(errors.squares.x, errors.squares.y) <= chromaSquares
            && max(abs(errors.sums.x), abs(errors.sums.y)) <= chromaSum
    }
}

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

/// The step sizes of VP8's quantizers (RFC 6386, section 14.1).
enum VP8Step {
    /// The step of AC coefficients at each quantizer index.
    private static let alternating: InlineArray<128, UInt16> = [
        4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29, 30, 31, 32,
        33, 34, 35, 36, 37, 38, 39, 40, 41, 42, 43, 44, 45, 46, 47, 48, 49, 50, 51, 52, 53, 54, 55, 56, 57, 58, 60,
        62, 64, 66, 68, 70, 72, 74, 76, 78, 80, 82, 84, 86, 88, 90, 92, 94, 96, 98, 100, 102, 104, 106, 108, 110,
        112, 114, 116, 119, 122, 125, 128, 131, 134, 137, 140, 143, 146, 149, 152, 155, 158, 161, 164, 167, 170, 173,
        177, 181, 185, 189, 193, 197, 201, 205, 209, 213, 217, 221, 225, 229, 234, 239, 245, 249, 254, 259, 264, 269,
        274, 279, 284,
    ]

    /// Returns what a step of AC coefficients at a quantizer index, 0 to 127, is in code values of a sample.
    static func of(_ index: Int) -> Double { Double(alternating[index]) / 2 }
}
