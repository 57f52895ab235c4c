import RillCore
import RillTestSupport

/// Frame sizes as an encoder of a webcam clip makes them: 30 a second, scattered by a third, with a cut every three seconds, and behind
/// its target by a tenth of a second. What a cut takes too much is saved in the frames after it.
struct SyntheticEncoder {
    /// The bitrate that is asked for.
    var target: Double
    private var effective: Double
    private var debt = 0.0
    private var generator: SeededGenerator
    private var frame = 0

    init(target: Double, seed: UInt64) {
        (self.target, effective) = (target, target)
        generator = SeededGenerator(seed: seed)
    }

    /// The bytes of the next frame.
    mutating func next() -> Int {
        defer { frame += 1 }
        effective += (target - effective) * 0.24
        let mean = effective / 8 / 30
        var bytes = mean * Double.random(in: 0.63...1.37, using: &generator)
        if frame > 0, frame % 90 == 0 {
            bytes = max(bytes, Double.random(in: 5...9, using: &generator) * 500_000 / 8 / 30)
        } else {
            let saved = min(max(debt, -mean), bytes / 2)
            bytes -= saved * 0.3
        }
        debt += bytes - mean
        debt *= 0.98
        return max(200, Int(bytes))
    }
}
