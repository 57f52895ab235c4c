import RillCore

/// Finds the first picture of another scene, before it is encoded.
///
/// Pictures are compared in a grid of luma samples. The scene has changed where they differ much in the mean, and much
/// more than the pictures before them did. Motion differs as long as it lasts, so that only its start can be taken for
/// a cut.
///
/// A pure value. Cost: 2304 samples of a picture, of any size; no allocation after the first.
struct SceneCutDetector: Sendable {
    private static let columns = 64
    private static let rows = 36
    /// The mean difference of a cut, in steps of 255.
    private static let minimumDifference = 5.0
    /// How many times the usual difference a cut has.
    private static let minimumRatio = 3.0

    private var samples: [UInt8] = []
    /// The usual difference between pictures; `nil` before the second.
    private var usual: Double?

    /// Returns whether the picture is of another scene than the one before it; `false` for the first two.
    mutating func add(_ frame: VideoFrame) -> Bool {
        let (width, height) = (frame.layout[plane: 0].width, frame.layout[plane: 0].height)
        guard !samples.isEmpty else {
            samples = Array(repeating: 0, count: Self.columns * Self.rows)
            _ = replaceSamples(with: frame, width, height)
            return false
        }
        let difference = Double(replaceSamples(with: frame, width, height)) / Double(samples.count)
        guard let usual else {
            self.usual = difference
            return false
        }
        self.usual = usual + (difference - usual) / 8
        return difference > Self.minimumDifference && difference > Self.minimumRatio * usual
    }

    /// Returns the sum of the absolute differences from the samples before.
    private mutating func replaceSamples(with frame: VideoFrame, _ width: Int, _ height: Int) -> Int {
        var sum = 0
        for row in 0..<Self.rows {
            let line = frame[plane: 0].row((2 * row + 1) * height / (2 * Self.rows))
            for column in 0..<Self.columns {
                let sample = line[(2 * column + 1) * width / (2 * Self.columns)]
                let index = row * Self.columns + column
                sum += abs(Int(sample) - Int(samples[index]))
                samples[index] = sample
            }
        }
        return sum
    }
}
