/// The options in the whole numbers that the kernels work with.
struct BeautyAmounts: Equatable {
    /// How far smooth skin goes towards its mean, in 256ths.
    var smoothing: UInt8 = 0
    /// The lift of the lightening curve, and how it changes with each code value of luma.
    var lift: Int16 = 0
    var liftSlope: Int16 = 0
    /// Code values of Cr.
    var redness: UInt8 = 0
    /// Gain of edges in 256ths.
    var sharpening: UInt8 = 0
    /// By how much an edge may be sharpened at the most, in code values.
    var edgeLimit: UInt8 = 0

    /// The lift for 28 code values in the middle: 4 · 109.5² · 9728 / 2^24.
    private static let greatestLift = 9728.0

    init() {}

    init(_ options: BeautyOptions) {
        let smoothness = options.smoothness
        smoothing = UInt8((255 * smoothness * (1.76 - 0.78 * smoothness)).rounded())
        let lift = BeautyAmounts.greatestLift * options.lightening
        // From four tenths more at one end to as much less at the other: any more, and the curve would fall somewhere.
        let tilt: Double =
            switch options.lighteningContrast {
            case .low: -0.4
            case .normal: 0
            case .high: 0.4
            }
        self.lift = Int16((lift * (1 - tilt)).rounded())
        liftSlope = Int16((lift * 2 * tilt / 219).rounded())
        redness = UInt8((20 * options.redness).rounded())
        sharpening = UInt8((144 * options.sharpness).rounded())
        edgeLimit = options.sharpness > 0 ? UInt8((1 + 3 * options.sharpness).rounded()) : 0
    }

    /// Whether a frame stays as it is.
    var isNone: Bool { self == BeautyAmounts() }

    /// What lies between these and `other`, at `step` of `count`.
    func moved(towards other: BeautyAmounts, step: Int, of count: Int) -> BeautyAmounts {
        func between<Number: FixedWidthInteger>(_ a: Number, _ b: Number) -> Number {
            a + Number((Int(b) - Int(a)) * step / count)
        }
        func between(_ a: UInt8, _ b: UInt8) -> UInt8 { UInt8(Int(a) + (Int(b) - Int(a)) * step / count) }
        var result = BeautyAmounts()
        result.smoothing = between(smoothing, other.smoothing)
        result.lift = between(lift, other.lift)
        result.liftSlope = between(liftSlope, other.liftSlope)
        result.redness = between(redness, other.redness)
        result.sharpening = between(sharpening, other.sharpening)
        result.edgeLimit = between(edgeLimit, other.edgeLimit)
        return result
    }
}

/// Moves from old amounts to new ones over a few frames, so that nothing pops.
struct BeautyRamp {
    private var start: BeautyAmounts
    private var end: BeautyAmounts
    private var step: Int

    /// Frames that a change takes: a quarter of a second at 30 frames a second.
    static let length = 8

    /// Amounts that hold from the first frame on.
    init(_ amounts: BeautyAmounts) {
        start = amounts
        end = amounts
        step = BeautyRamp.length
    }

    /// Whether the amounts are those that were aimed at.
    var isDone: Bool { step == BeautyRamp.length }

    /// The amounts of the last frame.
    var current: BeautyAmounts { start.moved(towards: end, step: step, of: BeautyRamp.length) }

    /// New amounts, to be reached in `length` frames.
    mutating func aim(at amounts: BeautyAmounts) {
        guard amounts != end else { return }
        start = current
        end = amounts
        step = 0
    }

    /// The amounts of the next frame.
    mutating func next() -> BeautyAmounts {
        step = min(step + 1, BeautyRamp.length)
        return current
    }
}
