import Glibc
import RillCore
import RillTestSupport

/// A change of light, camera or size that leaves what is skin where it is.
enum Alteration: CaseIterable, Sendable {
    case none, warmer, cooler, brighter, darker, noisy, halved

    /// The size of the altered picture, of one with 640x480.
    var size: Resolution { self == .halved ? Resolution(width: 320, height: 240) : Resolution(width: 640, height: 480) }

    /// Factors of linear red, green and blue: a black body of 5000 K or 8000 K instead of 6500 K, at the same
    /// luminance.
    private var gains: (red: Double, green: Double, blue: Double)? {
        switch self {
        case .warmer: (1.179, 0.972, 0.750)
        case .cooler: (0.904, 1.009, 1.188)
        case .brighter: (2, 2, 2)
        case .darker: (0.5, 0.5, 0.5)
        default: nil
        }
    }

    /// The altered picture; `seed` is that of noise.
    func apply(to frame: VideoFrame, seed: UInt64, from pool: FramePool) throws -> VideoFrame {
        var target = try existing(pool.makeFrame())
        var planes = target.planes
        var random = SeededGenerator(seed: seed)
        let pixels = PixelGains(gains)
        for y in 0..<size.height {
            var row = planes.y.row(y)
            for x in row.indices {
                switch self {
                case .halved:
                    let (left, top) = (2 * x, 2 * y)
                    let sum =
                        Int(frame.y[left, top]) + Int(frame.y[left + 1, top]) + Int(frame.y[left, top + 1])
                        + Int(frame.y[left + 1, top + 1])
                    row[x] = UInt8((sum + 2) / 4)
                case .noisy: row[x] = noisy(frame.y[x, y], 5, &random)
                default: row[x] = pixels.apply(frame.y[x, y], frame.u[x / 2, y / 2], frame.v[x / 2, y / 2]).y
                }
            }
        }
        for y in 0..<size.chroma.height {
            var (u, v) = ([UInt8](), [UInt8]())
            for x in 0..<size.chroma.width {
                switch self {
                case .halved:
                    u.append(frame.u[2 * x, 2 * y])
                    v.append(frame.v[2 * x, 2 * y])
                case .noisy:
                    u.append(noisy(frame.u[x, y], 3, &random))
                    v.append(noisy(frame.v[x, y], 3, &random))
                default:
                    let color = pixels.apply(frame.y[2 * x, 2 * y], frame.u[x, y], frame.v[x, y])
                    u.append(color.u)
                    v.append(color.v)
                }
            }
            var blue = planes.u.row(y)
            for x in blue.indices { blue[x] = u[x] }
            var red = planes.v.row(y)
            for x in red.indices { red[x] = v[x] }
        }
        return target.finish(captureTime: .zero)
    }

    /// Four dice of a byte make a bell of deviation 148.
    private func noisy(_ sample: UInt8, _ deviation: Double, _ random: inout SeededGenerator) -> UInt8 {
        let bits = random.next()
        let dice = (bits & 255) + (bits >> 8 & 255) + (bits >> 16 & 255) + (bits >> 24 & 255)
        return UInt8(max(0, min(255, Int(sample) + Int(((Double(dice) - 510) * deviation / 148).rounded()))))
    }
}

/// Multiplies the linear light of pixels in BT.601, limited range, with a gamma of 2.2.
private struct PixelGains {
    private let factors: (red: Double, green: Double, blue: Double)?

    init(_ gains: (red: Double, green: Double, blue: Double)?) {
        factors = gains.map { (pow($0.red, 1 / 2.2), pow($0.green, 1 / 2.2), pow($0.blue, 1 / 2.2)) }
    }

    func apply(_ y: UInt8, _ u: UInt8, _ v: UInt8) -> (y: UInt8, u: UInt8, v: UInt8) {
        guard let factors else { return (y, u, v) }
        let (luma, blue, red) = (1.164 * (Double(y) - 16), Double(u) - 128, Double(v) - 128)
        func lit(_ value: Double, _ factor: Double) -> Double { max(0, min(255, value * factor)) }
        let r = lit(luma + 1.596 * red, factors.red)
        let g = lit(luma - 0.392 * blue - 0.813 * red, factors.green)
        let b = lit(luma + 2.017 * blue, factors.blue)
        func byte(_ value: Double) -> UInt8 { UInt8(max(0, min(255, value.rounded()))) }
        return (
            byte(16 + 0.257 * r + 0.504 * g + 0.098 * b), byte(128 - 0.148 * r - 0.291 * g + 0.439 * b),
            byte(128 + 0.439 * r - 0.368 * g - 0.071 * b)
        )
    }
}
