/// The options as integers for the kernels.
struct BeautyAmounts: Equatable {
    /// How far smooth skin moves toward its mean, in 256ths.
    var smoothing: UInt8 = 0
    /// The lift, and its change per code value of luma, in 256ths of a code value.
    var lift: Int16 = 0
    var liftSlope: Int16 = 0
    /// Code values of Cr.
    var redness: UInt8 = 0
    /// Code values of Cr of lips.
    var lipColor: UInt8 = 0
    /// Code values of luma of eyes.
    var eyeLift: UInt8 = 0
    /// The gain of edges, in 256ths.
    var sharpening: UInt8 = 0
    /// The maximum sharpening of an edge, in code values.
    var edgeLimit: UInt8 = 0

    /// The lift at an amount of 1: 28 code values.
    private static let greatestLift = 28 * 256.0

    init() {}

    init(_ options: BeautyOptions) {
        let smoothness = options.smoothness
        smoothing = UInt8((255 * smoothness * (1.76 - 0.78 * smoothness)).rounded())
        let lift = BeautyAmounts.greatestLift * options.lightening
        // From four tenths more at one end to four tenths less at the other. With more, the curve would decrease
        // somewhere.
        let tilt: Double =
            switch options.lighteningContrast {
            case .low: -0.4
            case .normal: 0
            case .high: 0.4
            }
        self.lift = Int16((lift * (1 - tilt)).rounded())
        liftSlope = Int16((lift * 2 * tilt / 219).rounded())
        redness = UInt8((20 * options.redness).rounded())
        lipColor = UInt8((14 * options.lips).rounded())
        eyeLift = UInt8((24 * options.eyes).rounded())
        sharpening = UInt8((144 * options.sharpness).rounded())
        edgeLimit = options.sharpness > 0 ? UInt8((1 + 3 * options.sharpness).rounded()) : 0
    }

    /// The lift in the middle of the range.
    private var middleLift: Int { Int(lift) + 110 * Int(liftSlope) }
    /// The greatest lift as a part of the distance from black and to white, in 256ths: more for greater amounts, so
    /// that no luma is at its limit already.
    var shareOfBlack: UInt16 { UInt16(51 + middleLift / 140) }
    var shareOfWhite: UInt16 { UInt16(128 + middleLift / 112) }

    /// Whether a frame stays unchanged.
    var isNone: Bool { self == BeautyAmounts() }

    /// Returns the amounts between these and `other`, at `step` of `count`.
    func moved(towards other: BeautyAmounts, step: Int, of count: Int) -> BeautyAmounts {
        func between<Number: FixedWidthInteger>(_ a: Number, _ b: Number) -> Number {
            Number(Int(a) + (Int(b) - Int(a)) * step / count)
        }
        var result = BeautyAmounts()
        result.smoothing = between(smoothing, other.smoothing)
        result.lift = between(lift, other.lift)
        result.liftSlope = between(liftSlope, other.liftSlope)
        result.redness = between(redness, other.redness)
        result.lipColor = between(lipColor, other.lipColor)
        result.eyeLift = between(eyeLift, other.eyeLift)
        result.sharpening = between(sharpening, other.sharpening)
        result.edgeLimit = between(edgeLimit, other.edgeLimit)
        return result
    }
}

/// Moves from old amounts to new ones over a few frames, so that the picture does not jump.
struct BeautyRamp {
    private var start: BeautyAmounts
    private var end: BeautyAmounts
    private var step: Int

    /// The number of frames of a change: a quarter of a second at 30 frames per second.
    static let length = 8

    /// Creates a ramp that has these amounts from the first frame on.
    init(_ amounts: BeautyAmounts) {
        start = amounts
        end = amounts
        step = BeautyRamp.length
    }

    /// Whether the target amounts are reached.
    var isDone: Bool { step == BeautyRamp.length }

    /// The amounts of the last frame.
    var current: BeautyAmounts { start.moved(towards: end, step: step, of: BeautyRamp.length) }

    /// Sets new target amounts, to be reached in `length` frames.
    mutating func aim(at amounts: BeautyAmounts) {
        guard amounts != end else { return }
        start = current
        end = amounts
        step = 0
    }

    /// Advances, and returns the amounts of the next frame.
    mutating func next() -> BeautyAmounts {
        step = min(step + 1, BeautyRamp.length)
        return current
    }
}

extension BeautyAmounts {
    /// The amounts for a face that is so bright in places that these cannot be lightened as much: the rest of it then
    /// is not either, since parts of one face that are lightened differently lose their shape.
    ///
    /// - Parameters:
    ///   - highlight: the luma that a 32nd of the face is brighter than, in 16ths.
    ///   - strength: how much the face counts, from 0 to 256.
    func limited(byHighlight highlight: Int, strength: Int) -> BeautyAmounts {
        let (above, room) = (max(0, highlight / 16 - 16), max(0, 3760 - highlight))
        let wanted = Int(lift) + above * Int(liftSlope)
        // The least share of the way to white: see `shareOfWhite`.
        let possible = room * 128 / 16
        guard wanted > possible else { return self }
        let kept = 256 * wanted - strength * (wanted - possible)
        var result = self
        result.lift = Int16(Int(lift) * kept / (256 * wanted))
        result.liftSlope = Int16(Int(liftSlope) * kept / (256 * wanted))
        return result
    }
}
