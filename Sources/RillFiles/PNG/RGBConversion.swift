package import RillCore

/// From the numbers of a YUV picture to those of an RGB one, rounded to the nearest: for snapshots, where being right
/// counts and time does not.
///
/// With luma Y' and colour differences U', V' scaled to 0…255 and -127.5…127.5 (ITU-R BT.601, BT.709):
///
///     R = Y' + 2 (1 - Kr) V'
///     G = Y' - 2 (1 - Kb) Kb / Kg U' - 2 (1 - Kr) Kr / Kg V'
///     B = Y' + 2 (1 - Kb) U'
///
/// Each chroma sample colours its two by two pixels alike, without interpolation. The terms are tables of 16 fractional
/// bits, so a result can differ from exact arithmetic by one only where that lies within 0.00003 of a half.
package struct RGBConversion {
    private let luma: [Int]
    private let redOfV: [Int]
    private let greenOfU: [Int]
    private let greenOfV: [Int]
    private let blueOfU: [Int]

    private static let fractionBits = 16

    /// The conversion for pictures of that colour space.
    package init(_ colorSpace: ColorSpace) {
        let (kr, kb) = colorSpace.matrix == .bt601 ? (0.299, 0.114) : (0.2126, 0.0722)
        let kg = 1 - kr - kb
        let isLimited = colorSpace.range == .limited
        let lumaScale = isLimited ? 255.0 / 219 : 1
        let chromaScale = isLimited ? 255.0 / 224 : 1
        func table(_ factor: Double, zero: Int) -> [Int] {
            (0...255).map { Int((factor * Double($0 - zero) * Double(1 << RGBConversion.fractionBits)).rounded()) }
        }
        luma = table(lumaScale, zero: isLimited ? 16 : 0)
        redOfV = table(2 * (1 - kr) * chromaScale, zero: 128)
        greenOfU = table(-2 * (1 - kb) * kb / kg * chromaScale, zero: 128)
        greenOfV = table(-2 * (1 - kr) * kr / kg * chromaScale, zero: 128)
        blueOfU = table(2 * (1 - kb) * chromaScale, zero: 128)
    }

    /// The picture as red, green and blue bytes, row by row without gaps.
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
