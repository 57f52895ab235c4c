import RillCore

/// The person's behavior: how it holds its head, blinks and talks, at any time.
///
/// Slow movements are sums of two oscillations with different periods. Blinks and words happen once in each slot of
/// time, at a moment derived from the seed and the slot's number. So any moment can be computed directly.
struct PortraitMotion {
    /// The head at one moment. It converts positions between the scene and the head's own plane.
    struct Pose {
        /// The position between the eyes in the scene.
        var position: Point
        /// The height of the head in the scene.
        var size: Float
        /// The cosine and sine of its tilt to the right of the picture.
        var tilt: Point
        /// How far it turns to the right and down: the way of the middle of the face, in heights of the head.
        var turn: Point
        var expression: Expression
        /// How far the shoulders have moved in the scene.
        var shoulders: Point

        func head(_ scene: Point) -> Point {
            let p = ((scene - position) / size).turned(cosine: tilt.x, sine: -tilt.y)
            return p - turn * Pose.depth(p)
        }

        func scene(_ head: Point) -> Point {
            // Each step is nearer by a factor of two at least.
            var p = head
            for _ in 0..<5 { p = head + turn * Pose.depth(p) }
            return position + p.turned(cosine: tilt.x, sine: tilt.y) * size
        }

        /// How much nearer than the outline a point of the head is, from 0 to 1: this share of a turn moves it.
        private static func depth(_ p: Point) -> Float { bell(p, Point(0, 0.04), Point(0.42, 0.56)) }
    }

    /// What the face does, from 0 to 1, in steps so small that they are not seen.
    struct Expression: Equatable {
        var eyeOpening: Float = 1
        var mouth: Float = 0
    }

    private let seed: UInt64
    private let framing: Framing

    init(seed: UInt64, framing: Framing) { (self.seed, self.framing) = (seed, framing) }

    /// Returns the pose `t` seconds after the start.
    func pose(at t: Double) -> Pose {
        let sway = Point(
            0.013 * swing(t, 7.3, 1) + 0.006 * swing(t, 3.1, 2), 0.005 * swing(t, 5.9, 3) + 0.003 * swing(t, 2.3, 4))
        let tilt = 0.030 * swing(t, 8.9, 9) + 0.014 * swing(t, 3.7, 10)
        let turn = Point(
            0.060 * swing(t, 6.1, 5) + 0.035 * swing(t, 2.7, 6), 0.024 * swing(t, 4.7, 7) + 0.016 * swing(t, 1.9, 8))
        let breath = 0.0022 * swing(t, 4.1, 12)
        let nearer = 1 + 0.012 * swing(t, 9.7, 11)
        func stepped(_ x: Float) -> Float { (x * 16).rounded(.toNearestOrAwayFromZero) / 16 }
        return Pose(
            position: framing.headCentre + sway * framing.personSize,
            size: Framing.headHeight * framing.personSize * nearer,
            tilt: Point((1 - tilt * tilt).squareRoot(), tilt), turn: turn,
            expression: Expression(eyeOpening: stepped(eyeOpening(t)), mouth: stepped(mouth(t))),
            shoulders: Point(0.45 * sway.x, 0.25 * sway.y + breath) * framing.personSize)
    }

    /// A blink takes a sixth of a second, and happens every few seconds.
    private func eyeOpening(_ t: Double) -> Float {
        let (number, time) = slot(t, 3.4)
        let since = Float(time - 0.6 - 2.4 * random(21, number))
        return 1 - ramp(0, 0.06, since) * ramp(0.17, 0.085, since)
    }

    /// Syllables, in sentences with pauses.
    private func mouth(_ t: Double) -> Float {
        let (number, time) = slot(t, 5)
        let length = Float(2.4 + 1.4 * random(23, number))
        let sentence = ramp(0.5, 0.8, Float(time)) * ramp(length + 0.6, length + 0.3, Float(time))
        let (syllable, since) = slot(t, 0.21)
        let loudness = mix(
            Float(random(24, syllable)), Float(random(24, syllable + 1)), ramp(0, 0.21, Float(since)))
        return sentence * ramp(0.12, 1, loudness)
    }

    /// Returns an oscillation with that period in seconds, from -1 to 1. The number determines its phase.
    private func swing(_ t: Double, _ period: Double, _ number: UInt64) -> Float {
        sine(turns: t / period + random(number, 0))
    }

    /// Returns the number of the slot of that length, and the seconds since its start.
    private func slot(_ t: Double, _ length: Double) -> (number: Int64, time: Double) {
        let count = (t / length).rounded(.down)
        return (Int64(count), t - count * length)
    }

    private func random(_ salt: UInt64, _ number: Int64) -> Double {
        let place = UInt64(bitPattern: number) &* 0xA24B_AED4_963E_E407
        var generator = SeededGenerator(seed: seed ^ salt &* 0x9FB2_1C65_1E98_DF25 ^ place &* 0xD6E8_FEB8_6659_FD93)
        return generator.unitInterval()
    }
}
