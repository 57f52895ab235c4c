import RillCore

/// The noise that a camera's sensor adds to every pixel, new in each frame.
///
/// It is nearly Gaussian with mean zero, and samples are independent. A long list of such numbers is created once.
/// Each row of each plane of each frame uses a section of it that starts at a position derived from the seed and the
/// frame's number. So a frame costs one hash per row and one addition per sample, two frames have nothing in common,
/// and frame `n` is the same whether or not frame `n - 1` was drawn.
struct SensorNoise {
    private let seed: UInt64
    private let luma: [Int8]
    private let chroma: [Int8]

    /// The number of possible start positions; a power of two, and so large that repetitions are not visible.
    private static let starts = 1 << 16

    /// Creates the noise.
    ///
    /// - Parameters:
    ///   - resolution: the size of the frames.
    ///   - luma: the standard deviation in code values of Y, 0 to 20.
    ///   - chroma: the standard deviation in code values of U and V, 0 to 20.
    ///   - seed: determines the noise.
    init(resolution: Resolution, luma: Double, chroma: Double, seed: UInt64) {
        self.seed = seed
        var generator = SeededGenerator(seed: seed ^ 0x5E45_0000)
        let count = SensorNoise.starts + resolution.width
        self.luma = SensorNoise.roll(count: luma > 0 ? count : 0, deviation: luma, &generator)
        self.chroma = SensorNoise.roll(count: chroma > 0 ? count : 0, deviation: chroma, &generator)
    }

    /// Adds the noise of frame `index`.
    func add(to planes: inout MutablePlanes, frame index: Int) {
        var places = SeededGenerator(seed: seed &+ UInt64(truncatingIfNeeded: index) &* 0xD1B5_4A32_D192_ED03)
        SensorNoise.add(luma, to: &planes.y, &places)
        SensorNoise.add(chroma, to: &planes.u, &places)
        SensorNoise.add(chroma, to: &planes.v, &places)
    }

    private static func add(_ roll: [Int8], to plane: inout MutablePlane, _ places: inout SeededGenerator) {
        guard !roll.isEmpty else { return }
        for y in 0..<plane.height {
            let start = Int(places.next() & UInt64(starts - 1))
            let noise = roll.span.extracting(start..<start + plane.width)
            var row = plane.row(y)
            for x in 0..<row.count {
                let sum = Int16(row[x]) &+ Int16(noise[x])
                row[x] = UInt8(truncatingIfNeeded: max(0, min(255, sum)))
            }
        }
    }

    private static func roll(count: Int, deviation: Double, _ generator: inout SeededGenerator) -> [Int8] {
        // Rounding to whole code values adds a twelfth to the variance, which is subtracted here.
        let drawn = max(0, deviation * deviation - 1.0 / 12).squareRoot()
        // The sum of four uniform 16-bit numbers is nearly Gaussian; its variance is a third of 2^32.
        let scale = drawn / (4.0 / 12 * 0x1p32).squareRoot()
        return (0..<count).map { _ in
            let bits = generator.next()
            let sum = (bits & 0xFFFF) + (bits >> 16 & 0xFFFF) + (bits >> 32 & 0xFFFF) + (bits >> 48)
            return Int8(clamping: Int(((Double(sum) - 131070) * scale).rounded()))
        }
    }
}
