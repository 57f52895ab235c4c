import RillCore
import RillTestSupport

/// Frame sizes like those of an encoder of a webcam clip: 30 frames a second with a deviation of a third, a cut every
/// three seconds, and a lag of a tenth of a second behind the target. The excess of a cut is saved in the frames
/// after it.
struct SyntheticEncoder {
    /// The target bitrate.
    var target: Double
    /// Whether the last frame was the first one after a cut.
    private(set) var isCut = false
    private var effective: Double
    private var debt = 0.0
    private var generator: SeededGenerator
    private var frame = 0
    private let hasScenes: Bool
    private var isCutDue = false

    init(target: Double, seed: UInt64, hasScenes: Bool = true) {
        self.hasScenes = hasScenes
        (self.target, effective) = (target, target)
        generator = SeededGenerator(seed: seed)
    }

    /// The bytes of the next frame.
    mutating func next() -> Int {
        follow()
        let mean = effective / 8 / 30
        var bytes = mean * Double.random(in: 0.63...1.37, using: &generator)
        isCut = isCutDue
        if isCutDue {
            isCutDue = false
            bytes = max(bytes, Double.random(in: 5...9, using: &generator) * 500_000 / 8 / 30)
        } else {
            let saved = min(max(debt, -mean), bytes / 2)
            bytes -= saved * 0.3
        }
        debt += bytes - mean
        debt *= 0.98
        return max(200, Int(bytes))
    }

    /// Skips a frame. If it was a cut, the next encoded frame shows the new scene.
    mutating func leaveOut() { follow() }

    private mutating func follow() {
        effective += (target - effective) * 0.24
        if hasScenes, frame > 0, frame % 90 == 0 { isCutDue = true }
        frame += 1
    }
}
