import RillCore

/// The person's behavior: how it holds its head, blinks, talks, looks around and waves, at any time.
///
/// Slow movements are sums of two oscillations with different periods. Sudden ones (a blink, a glance, a word, a
/// wave) happen once in each slot of time, at a moment derived from the seed and the slot's number. So any moment can
/// be computed directly, at the same cost.
struct PortraitMotion {
    /// The person at one moment. Positions are in the scene: its height is 1, and x counts from its center.
    struct Pose {
        var head: HeadPlacement
        var expression: Head.Expression
        /// How far the shoulders have swayed.
        var shoulders: Point
        /// The hand, while any of it may be visible.
        var hand: Hand.Placement?
    }

    /// Events that happen once in each slot of time.
    fileprivate enum Habit: UInt64 {
        case blink = 21
        case glance, sentence, syllable, nod, wave
    }

    private let seed: UInt64
    private let framing: Framing
    private let waves: Bool

    init(settings: PortraitScene.Settings, framing: Framing) {
        seed = settings.seed
        self.framing = framing
        waves = settings.waves
    }

    /// Returns the person's pose `t` seconds after the start.
    func pose(at t: Double) -> Pose {
        let sway = Point(
            0.013 * swing(t, 7.3, 1) + 0.006 * swing(t, 3.1, 2), 0.005 * swing(t, 5.9, 3) + 0.003 * swing(t, 2.3, 4))
        let talk = mouth(t)
        let head = self.head(t, sway, talk)
        // The eyes stay on the camera while the head rotates.
        let held = Point(-0.050, -0.035) * head.turn
        let expression = Head.Expression(
            eyeOpening: eyeOpening(t) * (1 - max(0, head.turn.y)), gaze: snapped(held + glance(t)), mouth: talk)
        let breath = 0.0022 * swing(t, 4.1, 12)
        let shoulders = Point(0.45 * sway.x, 0.25 * sway.y + breath) * framing.personSize
        return Pose(head: head, expression: expression, shoulders: shoulders, hand: hand(t))
    }

    private func head(_ t: Double, _ sway: Point, _ talk: Float) -> HeadPlacement {
        let nod = self.nod(t)
        let yaw = 0.105 * swing(t, 6.1, 5) + 0.055 * swing(t, 2.7, 6)
        let pitch = 0.030 * swing(t, 4.7, 7) + 0.016 * swing(t, 1.9, 8) + 0.060 * nod
        let tilt = 0.030 * swing(t, 8.9, 9) + 0.014 * swing(t, 3.7, 10)
        let nearer = 1 + 0.012 * swing(t, 9.7, 11)
        let leaning = Point(0.02 * yaw, 0.014 * nod)
        return HeadPlacement(
            position: framing.headCentre + (sway + leaning) * framing.personSize,
            size: Framing.headHeight * framing.personSize * nearer,
            tilt: Point((1 - tilt * tilt).squareRoot(), tilt), turn: Point(yaw, pitch), jaw: 0.020 * talk)
    }

    /// Returns how far the lids are open. A blink takes a sixth of a second, and happens every few seconds.
    private func eyeOpening(_ t: Double) -> Float {
        let slot = Slot(t, length: 3.4, seed, .blink)
        let since = Float(slot.time - 0.6 - 2.4 * slot.random(0))
        let shut = ramp(0, 0.06, since) * ramp(0.17, 0.085, since)
        return 0.97 - 0.97 * shut
    }

    /// Returns where the eyes look: still, then suddenly elsewhere, mostly at the camera.
    private func glance(_ t: Double) -> Point {
        let slot = Slot(t, length: 1.7, seed, .glance)
        guard slot.time > 0.5 + slot.random(0), slot.random(1) > 0.45 else { return .zero }
        return Point(Float(slot.random(2) - 0.5) * 0.024, Float(slot.random(3) - 0.5) * 0.010)
    }

    /// Returns the gaze in steps too small to see, so that an eye that barely moves is not repainted.
    private func snapped(_ gaze: Point) -> Point { (gaze * 1000).rounded(.toNearestOrAwayFromZero) / 1000 }

    /// Returns how far the mouth is open, 0 to 1: syllables, in sentences with pauses.
    private func mouth(_ t: Double) -> Float {
        let slot = Slot(t, length: 5.0, seed, .sentence)
        let length = Float(2.4 + 1.4 * slot.random(0))
        let sentence = ramp(0.5, 0.8, Float(slot.time)) * ramp(length + 0.6, length + 0.3, Float(slot.time))
        guard sentence > 0 else { return 0 }
        let syllable = Slot(t, length: 0.21, seed, .syllable)
        let next = Slot(t + 0.21, length: 0.21, seed, .syllable)
        let loudness = mix(Float(syllable.random(0)), Float(next.random(0)), ramp(0, 0.21, Float(syllable.time)))
        return sentence * ramp(0.12, 1, loudness)
    }

    /// Returns occasional nods; positive is down.
    private func nod(_ t: Double) -> Float {
        let slot = Slot(t, length: 6.5, seed, .nod)
        let since = slot.time - 1.2 - 3.0 * slot.random(0)
        guard since > 0, since < 1.3, slot.random(1) > 0.3 else { return 0 }
        return bell(Float((since - 0.65) / 0.65) * Float((since - 0.65) / 0.65))
            * (0.35 + 0.65 * sine(turns: since * 1.4))
    }

    /// Returns the hand, which rises, waves and goes down again.
    private func hand(_ t: Double) -> Hand.Placement? {
        guard waves else { return nil }
        let slot = Slot(t, length: 9.0, seed, .wave)
        let since = Float(slot.time - 3.2 - 1.0 * slot.random(0))
        let raised = ramp(0, 0.75, since) * ramp(3.6, 2.8, since)
        guard raised > 0.001 else { return nil }
        let waving = ramp(0.5, 1.0, since) * ramp(3.1, 2.6, since)
        let angle = mix(0.55, 0.10, raised) + 0.19 * waving * sine(turns: Double(since) / 0.78)
        return Hand.Placement(elbow: framing.elbow(raised: raised), size: framing.personSize, angle: angle)
    }

    /// Returns an oscillation with that period in seconds, from -1 to 1. The seed and the number determine its phase;
    /// the number distinguishes oscillations.
    private func swing(_ t: Double, _ period: Double, _ number: UInt64) -> Float {
        sine(turns: t / period + Slot.random(seed, number, 0, 0))
    }
}

/// One of the time slots of equal length, with its own random numbers.
private struct Slot {
    private let seed: UInt64
    private let habit: PortraitMotion.Habit
    private let number: Int64
    /// The seconds since the start of the slot.
    let time: Double

    init(_ t: Double, length: Double, _ seed: UInt64, _ habit: PortraitMotion.Habit) {
        let count = (t / length).rounded(.down)
        self.seed = seed
        self.habit = habit
        number = Int64(count)
        time = t - count * length
    }

    /// Returns the slot's random number with that index, from 0 to 1.
    func random(_ index: Int64) -> Double { Slot.random(seed, habit.rawValue, number, index) }

    static func random(_ seed: UInt64, _ salt: UInt64, _ number: Int64, _ index: Int64) -> Double {
        let place = UInt64(bitPattern: number) &* 0xA24B_AED4_963E_E407 &+ UInt64(bitPattern: index)
        var generator = SeededGenerator(seed: seed ^ salt &* 0x9FB2_1C65_1E98_DF25 ^ place &* 0xD6E8_FEB8_6659_FD93)
        return generator.unitInterval()
    }
}
