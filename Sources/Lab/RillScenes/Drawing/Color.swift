/// Linear light of the three primaries: twice the value is twice the light.
typealias RGB = SIMD3<Float>

/// A color that covers a share of what is beneath: its light times the share, and the share.
typealias Paint = SIMD4<Float>

extension RGB {
    /// Creates the color of an sRGB code such as `0xF6EDE4`.
    ///
    /// A gamma of exactly 2 replaces sRGB's curve, here and in the inverse. An unshaded color results in its code,
    /// and with shading the difference is not visible. A square root is the same on every machine.
    init(srgb code: UInt32) {
        let gamma = RGB(Float(code >> 16 & 255), Float(code >> 8 & 255), Float(code & 255)) / 255
        self = gamma * gamma
    }

    /// The brightness of the light.
    var luminance: Float { 0.3 * x + 0.59 * y + 0.11 * z }
}

extension Paint {
    /// Covers a share of this paint with another color.
    mutating func cover(_ color: RGB, _ share: Float) { self = Paint(color, coverage: share) + self * (1 - share) }

    /// Creates paint that covers a share of the ground with `color`.
    init(_ color: RGB, coverage: Float) { self.init(color * coverage, coverage) }

    /// The code values Y, U, V of this paint in BT.601, limited range, each times the coverage, followed by 255 times
    /// the coverage. All are from 0 to 255, apart from rounding.
    var codeValues: SIMD4<Float> {
        guard w > 0.001 else { return .zero }
        let light = RGB(x, y, z) / w
        let rgb = RGB(bounded(light.x), bounded(light.y), bounded(light.z)).squareRoot()
        let luma = 16 + 65.481 * rgb.x + 128.553 * rgb.y + 24.966 * rgb.z
        let u = 128 - 37.797 * rgb.x - 74.203 * rgb.y + 112 * rgb.z
        let v = 128 + 112 * rgb.x - 93.786 * rgb.y - 18.214 * rgb.z
        return SIMD4(luma, u, v, 255) * (w < 1 ? w : 1)
    }
}
