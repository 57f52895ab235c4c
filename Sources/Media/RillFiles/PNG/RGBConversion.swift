package import RillCore

/// Converts YUV pictures to RGB, rounded to nearest: for snapshots, where precision matters and speed does not. The
/// factors are those of ``/RillCore/RGBFactors``.
///
/// Each chroma sample applies to two by two pixels, without interpolation. The terms are tables with 16 fractional
/// bits, so a result differs from exact arithmetic, by one, only if that is within 0.00003 of a half.
package struct RGBConversion {
    private let luma: [Int]
    private let redOfV: [Int]
    private let greenOfU: [Int]
    private let greenOfV: [Int]
    private let blueOfU: [Int]

    private static let fractionBits = 16

    /// Creates the conversion for a color space.
    package init(_ colorSpace: ColorSpace) {
        let factors = RGBFactors(colorSpace)
        func table(_ factor: Double, zero: Int) -> [Int] {
            (0...255).map { Int((factor * Double($0 - zero) * Double(1 << RGBConversion.fractionBits)).rounded()) }
        }
        luma = table(factors.luma, zero: factors.black)
        redOfV = table(factors.redOfV, zero: 128)
        greenOfU = table(factors.greenOfU, zero: 128)
        greenOfV = table(factors.greenOfV, zero: 128)
        blueOfU = table(factors.blueOfU, zero: 128)
    }

    /// Returns the picture as red, green and blue bytes, row by row without gaps.
    package static func pixels(of frame: VideoFrame) -> [UInt8] {
        let conversion = RGBConversion(frame.colorSpace)
        let resolution = frame.resolution
        return [UInt8](capacity: 3 * resolution.pixelCount) { output in
            for y in 0..<resolution.height {
                switch frame.format {
                case .i420:
                    conversion.convert(
                        frame.y.row(y), u: frame.u.row(y / 2), v: frame.v.row(y / 2), chromaStep: 1, vOffset: 0,
                        to: &output)
                case .nv12:
                    let chroma = frame.u.row(y / 2)
                    conversion.convert(frame.y.row(y), u: chroma, v: chroma, chromaStep: 2, vOffset: 1, to: &output)
                }
            }
        }
    }

    private func convert(
        _ row: Span<UInt8>, u: Span<UInt8>, v: Span<UInt8>, chromaStep: Int, vOffset: Int,
        to output: inout OutputSpan<UInt8>
    ) {
        for x in row.indices {
            let column = x / 2 * chromaStep
            let (y, u, v) = (luma[Int(row[x])], Int(u[column]), Int(v[column + vOffset]))
            output.append(RGBConversion.sample(y + redOfV[v]))
            output.append(RGBConversion.sample(y + greenOfU[u] + greenOfV[v]))
            output.append(RGBConversion.sample(y + blueOfU[u]))
        }
    }

    private static func sample(_ value: Int) -> UInt8 {
        UInt8(clamping: (value + 1 << (fractionBits - 1)) >> fractionBits)
    }
}
