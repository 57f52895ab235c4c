import RillCore
import RillImage
import RillTestSupport
import Testing

@Suite struct RGBAPixelsTests {
    private static let spaces = [
        ColorSpace.bt601, .bt709, ColorSpace(range: .full), ColorSpace(matrix: .bt709, range: .full),
    ]

    /// Red, green and blue of a sample by the definitions of BT.601 and BT.709, cut to 0…255.
    private func exact(_ y: UInt8, _ u: UInt8, _ v: UInt8, _ space: ColorSpace) -> [Double] {
        let (kr, kb) = space.matrix == .bt601 ? (0.299, 0.114) : (0.2126, 0.0722)
        let isLimited = space.range == .limited
        let luma = isLimited ? (Double(y) - 16) * 255 / 219 : Double(y)
        let scale = isLimited ? 255.0 / 224 : 1
        let (blueness, redness) = ((Double(u) - 128) * scale, (Double(v) - 128) * scale)
        let red = luma + 2 * (1 - kr) * redness
        let blue = luma + 2 * (1 - kb) * blueness
        let green = (luma - kr * red - kb * blue) / (1 - kr - kb)
        return [red, green, blue].map { min(max($0, 0), 255) }
    }

    /// A picture of random samples, all values among them where it is large.
    private func noise(
        _ width: Int, _ height: Int, _ space: ColorSpace, _ format: PixelFormat = .i420, seed: UInt64 = 1
    ) throws -> VideoFrame {
        var generator = SeededGenerator(seed: seed)
        let pool = try FramePool(format, resolution: Resolution(width: width, height: height), capacity: 1)
        var frame = try existing(pool.makeFrame())
        func fill(_ plane: inout MutablePlane) {
            for y in 0..<plane.height {
                var row = plane.row(y)
                for x in row.indices { row[x] = UInt8(truncatingIfNeeded: generator.next()) }
            }
        }
        var planes = frame.planes
        fill(&planes.y)
        fill(&planes.u)
        if format == .i420 { fill(&planes.v) }
        return frame.finish(captureTime: .zero, colorSpace: space)
    }

    @Test(arguments: [(1, 1), (2, 2), (3, 5), (17, 13), (64, 48), (641, 3)], [PixelFormat.i420, .nv12])
    func `Each pixel has its colour to the nearest, in every colour space and order`(
        size: (Int, Int), format: PixelFormat
    ) throws {
        for space in RGBAPixelsTests.spaces {
            let frame = try noise(size.0, size.1, space, format)
            for order in PixelOrder.allCases {
                let pixels = frame.rgba(order: order)
                #expect(pixels.count == 4 * size.0 * size.1)
                var worst = 0.0
                for y in 0..<size.1 {
                    for x in 0..<size.0 {
                        let at = 4 * (y * size.0 + x)
                        let (u, v) =
                            format == .i420
                            ? (frame.u.row(y / 2)[x / 2], frame.v.row(y / 2)[x / 2])
                            : (frame.u.row(y / 2)[x / 2 * 2], frame.u.row(y / 2)[x / 2 * 2 + 1])
                        let colours = exact(frame.y.row(y)[x], u, v, space)
                        let places = order == .rgba ? [0, 1, 2] : [2, 1, 0]
                        for (colour, place) in zip(colours, places) {
                            worst = max(worst, abs(colour - Double(pixels[at + place])))
                        }
                        guard pixels[at + 3] == 255 else { throw TestFailure("alpha of \(x), \(y)") }
                    }
                }
                #expect(worst <= 0.6, "\(space), \(order)")
            }
        }
    }

    @Test func `Rows with gaps leave the gaps alone`() throws {
        let frame = try noise(5, 4, .bt601)
        var pixels = [UInt8](repeating: 77, count: 32 * 3 + 20 + 9)
        var span = pixels.mutableSpan
        frame.writeRGBA(to: &span, rowByteCount: 32)
        let tight = frame.rgba()
        for y in 0..<4 {
            #expect(Array(pixels[32 * y..<32 * y + 20]) == Array(tight[20 * y..<20 * y + 20]), "row \(y)")
            let gap = pixels[32 * y + 20..<min(32 * y + 32, pixels.count)]
            #expect(gap.allSatisfy { $0 == 77 }, "behind row \(y)")
        }
    }
}
