import RillCore
import RillTestSupport
import Testing

@testable import RillBeauty

/// The color of gray in a light is learned beside a face.
struct LightGrayTests {
    /// Blocks of one picture: a face of skin in front of something.
    private final class Picture {
        let u = CellPlane(width: 80, height: 60)
        let v = CellPlane(width: 80, height: 60)
        let luma = CellPlane(width: 80, height: 60)
        let face = FaceRegion(x: 30, y: 15, side: 16)

        /// Colors are Cr - 128 and 128 - Cb for each code value of luma above black, which varies, and so does the
        /// rounding.
        init(light: (Double, Double), background: (_ x: Int, _ y: Int) -> (Double, Double)) {
            var random = SeededGenerator(seed: 7)
            for y in 0..<60 {
                for x in 0..<80 {
                    let isFace = (32..<44).contains(x) && (14..<32).contains(y)
                    let (red, yellow) = isFace ? (0.16, 0.1) : background(x, y)
                    let level = (isFace ? 100.0 : 140) + Double(random.next() % 40)
                    luma.row(y)[x] = UInt8(16 + level)
                    v.row(y)[x] = UInt8(clamping: Int((128 + level * (red + light.0)).rounded()))
                    u.row(y)[x] = UInt8(clamping: Int((128 - level * (yellow + light.1)).rounded()))
                }
            }
        }

        func gray(before: LightGray = LightGray()) throws -> LightGray {
            try existing(SkinColor(of: face, gray: before, u: u, v: v, luma: luma)).gray
        }
    }

    /// Cold, as the camera takes it to be, warm, and greenish: both chromas of a neutral surface.
    private static let lights = [(-0.07, -0.06), (0, 0), (0.02, 0.06), (0.05, 0.09), (-0.05, -0.01)]

    @Test(arguments: lights)
    func `A gray wall determines the color of gray, between colored ones`(red: Double, yellow: Double) throws {
        // A third is a blue board, an orange curtain and skin.
        let picture = Picture(light: (red, yellow)) { x, y in
            x < 8 ? (-0.2, -0.3) : x < 16 ? (0.25, 0.4) : x > 72 ? (0.16, 0.1) : (0, 0)
        }
        let gray = try picture.gray()
        #expect(abs(Double(gray.red) / 4096 - red) < 0.006 && abs(Double(gray.yellow) / 4096 - yellow) < 0.006)
    }

    @Test func `Without anything gray, the color of gray stays`() throws {
        let before = LightGray(red: 60, yellow: -40)
        // Skin, wood and a strong color.
        for color in [(0.16, 0.1), (0.14, 0.19), (-0.3, 0.2)] {
            let picture = Picture(light: (0, 0)) { _, _ in color }
            #expect(try picture.gray(before: before) == before, "\(color)")
        }
    }

    @Test func `Skin is the warm part of a face's square, not hair and wall`() throws {
        // Two thirds of the square are black hair and a wall.
        let picture = Picture(light: (0.02, 0.06)) { _, _ in (0, 0) }
        for y in 0..<60 {
            for x in 30..<40 {
                picture.luma.row(y)[x] = y % 2 == 0 ? 60 : 180
                picture.v.row(y)[x] = y % 2 == 0 ? 129 : 131
                picture.u.row(y)[x] = y % 2 == 0 ? 125 : 118
            }
        }
        let color = try existing(SkinColor(of: picture.face, u: picture.u, v: picture.v, luma: picture.luma))
        // 0.16 and 0.1 of a luma of about 120.
        let distance = color.distanceFromGray
        #expect(abs(distance.red - 307) < 24 && abs(distance.yellow - 192) < 24, "\(distance)")
        #expect(abs(color.middle / 16 - 136) < 5)
    }

    @Test func `A color moves by a 16th of a code value in a frame, and arrives`() {
        var color = SkinColor(red: 160, yellow: 120, dark: 90, bright: 180)
        var aim = SkinColor(red: 190, yellow: 100, dark: 92, bright: 178)
        aim.gray = LightGray(red: 30, yellow: -30)
        for frame in 0..<40 {
            let before = color
            color.creep(to: aim)
            #expect(abs(color.red - before.red) <= 1 && abs(color.gray.red - before.gray.red) <= 1, "frame \(frame)")
        }
        #expect(color == aim)
    }
}
