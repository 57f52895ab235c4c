import Glibc
import RillCore
import RillScenes
import RillTestSupport
import Testing

@testable import RillBeauty

/// Surfaces with the colour of skin: they may be taken for skin, but keep their structure.
struct OtherSurfacesTests {
    /// A surface: its colour, and how its luma goes up and down.
    struct Surface: Sendable, CustomTestStringConvertible {
        var testDescription: String
        var color: UInt32
        /// The change of luma at a pixel, in parts of the colour's.
        var relief: @Sendable (_ x: Int, _ y: Int, _ random: inout SeededGenerator) -> Double
    }

    static let surfaces = [
        Surface(testDescription: "oak, grain of 6 pixels", color: 0xB08A5E) { x, y, _ in
            0.12 * sin(Double(y) + 2 * sin(Double(x) / 40)) + 0.04 * sin(Double(y) * 0.37)
        },
        Surface(testDescription: "dark wood, grain of 8 pixels", color: 0x6B4A32) { x, y, _ in
            0.15 * sin(Double(y) * 0.8 + sin(Double(x) / 25))
        },
        Surface(testDescription: "blond hair", color: 0xB5935F) { x, y, _ in
            0.2 * sin(Double(x) * 1.3 + Double(y) / 9) + 0.1 * sin(Double(x) * 0.4)
        },
        Surface(testDescription: "brown hair", color: 0x6A4835) { x, y, _ in
            0.25 * sin(Double(x) * 1.1 + Double(y) / 7) + 0.15 * sin(Double(x) * 0.3)
        },
        Surface(testDescription: "bricks", color: 0xA86A50) { x, y, _ in
            (x + y / 12 % 2 * 16) % 32 < 3 || y % 12 < 3 ? 0.3 : 0
        },
        Surface(testDescription: "cardboard, ribs of 5 pixels", color: 0xC0966A) { x, _, _ in
            0.12 * sin(Double(x) * 1.25)
        },
    ]

    /// Relief without any order, as finely grained as noise.
    private static let plaster = Surface(testDescription: "rough plaster", color: 0xE0CDB0) { _, _, random in
        0.2 * (Double(random.next() >> 11) * 0x1p-53 - 0.5)
    }

    private func picture(_ surface: Surface, height: Int) throws -> VideoFrame {
        let resolution = Resolution(width: 96, height: height)
        var frame = try existing(FramePool(resolution: resolution, capacity: 1).makeFrame())
        var random = SeededGenerator(seed: 1)
        let (red, green, blue) = (
            Double(surface.color >> 16 & 255), Double(surface.color >> 8 & 255), Double(surface.color & 255)
        )
        let y = (65.481 * red + 128.553 * green + 24.966 * blue) / 255
        var planes = frame.planes
        for row in 0..<height {
            var luma = planes.y.row(row)
            for x in luma.indices {
                luma[x] = UInt8(clamping: Int((16 + y * (1 + surface.relief(x, row, &random))).rounded()))
            }
        }
        planes.u.fill(UInt8((128 + (-37.797 * red - 74.203 * green + 112 * blue) / 255).rounded()))
        planes.v.fill(UInt8((128 + (112 * red - 93.786 * green - 18.214 * blue) / 255).rounded()))
        return frame.finish(captureTime: .zero)
    }

    @Test(arguments: surfaces, [480, 720])
    func `It keeps its structure`(surface: Surface, height: Int) throws {
        let source = try picture(surface, height: height)
        let all = PixelRect(8, 8, 88, 168)
        for smoothness in [0.5, 1] {
            let result = try source.beautiful(.only(\.smoothness, smoothness))
            let kept = result.gradientEnergy(in: all) / source.gradientEnergy(in: all)
            #expect(kept >= 0.9, "\(surface.testDescription), \(height) lines, smoothness \(smoothness): \(kept)")
        }
    }

    /// A known limit: a warm wall with relief as fine as pores is taken for skin. Documented, and to be improved.
    @Test func `Plaster is taken for skin`() throws {
        let source = try picture(Self.plaster, height: 720)
        let all = PixelRect(8, 8, 88, 168)
        let result = try source.beautiful(.only(\.smoothness, 0.5))
        let kept = result.gradientEnergy(in: all) / source.gradientEnergy(in: all)
        // No feature distinguishes the two. If one does some day, this test fails, and the README's table must
        // change.
        withKnownIssue("relief as fine as pores, in the colour of skin, is smoothed as skin") {
            #expect(kept >= 0.9)
        }
    }
}
