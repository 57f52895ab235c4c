// The curves with which everything in a scene is drawn. All are sums, products, quotients and square roots, which
// IEEE 754 rounds the same way everywhere. So a scene is the same, byte for byte, on every machine and with every C
// library. There is no `sin`, `exp` or `pow` here.

/// Clamps `x` to two bounds.
func bounded(_ x: Float, _ low: Float = 0, _ high: Float = 1) -> Float { x < low ? low : x > high ? high : x }

/// Interpolates from `a` to `b` while `t` goes from 0 to 1.
func mix(_ a: Float, _ b: Float, _ t: Float) -> Float { a + (b - a) * t }

/// Interpolates from one color to another while `t` goes from 0 to 1.
func mix(_ a: RGB, _ b: RGB, _ t: Float) -> RGB { a + (b - a) * t }

/// Returns 0 up to `from`, 1 after `to`, and a smooth transition in between. With `from` above `to` it decreases.
func ramp(_ from: Float, _ to: Float, _ x: Float) -> Float {
    let t = bounded((x - from) / (to - from))
    return t * t * (3 - 2 * t)
}

/// Returns a bell curve of height 1 with finite support: 1 at the center, 0 from the radius on, smooth in between. It
/// resembles a Gaussian with a standard deviation of 0.4 radii, and costs nothing where it is zero.
func bell(_ squaredDistance: Float) -> Float {
    squaredDistance < 1 ? (1 - squaredDistance) * (1 - squaredDistance) : 0
}

/// Returns the bell curve over an ellipse.
func bell(_ p: Point, _ centre: Point, _ radii: Point) -> Float {
    let d = (p - centre) / radii
    return bell(d.x * d.x + d.y * d.y)
}

/// Returns the sine of a number of turns (not radians), accurate to 0.0002.
func sine(turns: Double) -> Float {
    let t = Float(turns - turns.rounded(.down))
    // A parabola for each half turn, with a correction.
    let x = t < 0.5 ? t : t - 0.5
    let arc = 16 * x * (0.5 - x)
    let value = arc * (0.775 + 0.225 * arc)
    return t < 0.5 ? value : -value
}

/// Returns the share of a pixel that lies inside of an edge at the signed distance `d`, blurred over `width`.
func coverage(_ d: Float, _ width: Float) -> Float { ramp(0.5 * width, -0.5 * width, d) }

/// Returns how much to show of a detail that repeats every `period`: nothing if it is too fine for pixels of that
/// size.
func visibility(period: Float, _ pixel: Float) -> Float { ramp(1.8, 3.5, period / pixel) }

/// Returns the angle of a direction in turns from straight up, 0 to 1 clockwise, accurate to 0.00001.
func turns(of d: Point) -> Float {
    let x = d.x.magnitude
    let y = d.y.magnitude
    let z = min(x, y) / max(max(x, y), 1e-20)
    let z2 = z * z
    // Abramowitz and Stegun, 4.4.49, in turns.
    let low = 0.1591549 * z * (0.999866 + z2 * (-0.3302995 + z2 * (0.180141 + z2 * (-0.085133 + z2 * 0.0208351))))
    let fromVertical = x <= y ? low : 0.25 - low
    let half = d.y <= 0 ? fromVertical : 0.5 - fromVertical
    return d.x >= 0 ? half : 1 - half
}

/// A smooth curve through evenly spaced values, which describes outlines and ridges.
struct Profile {
    private let start: Float
    private let perUnit: Float
    private let values: [Float]

    /// Creates the curve that passes through `values`, from the range's start to its end. Outside of the range it is
    /// constant.
    init(_ range: ClosedRange<Float>, _ values: [Float]) {
        start = range.lowerBound
        perUnit = Float(values.count - 1) / (range.upperBound - range.lowerBound)
        self.values = values
    }

    func callAsFunction(_ x: Float) -> Float {
        let last = values.count - 1
        let position = bounded((x - start) * perUnit, 0, Float(last))
        let i = min(Int(position), last - 1)
        let t = position - Float(i)
        let a = values[max(i - 1, 0)]
        let b = values[i]
        let c = values[i + 1]
        let d = values[min(i + 2, last)]
        // A Catmull-Rom cubic.
        return b + 0.5 * t * (c - a + t * (2 * a - 5 * b + 4 * c - d + t * (3 * (b - c) + d - a)))
    }
}
