import RillCore
import RillScenes
import RillTestSupport
import Testing

@testable import RillBeauty

/// Detection of skin: surfaces of one colour with the noise of a camera.
struct SkinMaskTests {
    private static let size = Resolution(width: 64, height: 64)

    /// A picture of one colour, with noise of 3 in luma and 2 in chroma (standard deviations) where it `isNoisy`.
    private func surface(_ code: UInt32, isNoisy: Bool, seed: UInt64, from pool: FramePool) throws -> VideoFrame {
        var frame = try existing(pool.makeFrame())
        var random = SeededGenerator(seed: seed)
        let (red, green, blue) = (Double(code >> 16 & 255), Double(code >> 8 & 255), Double(code & 255))
        // BT.601, limited range.
        let y = 16 + (65.481 * red + 128.553 * green + 24.966 * blue) / 255
        let u = 128 + (-37.797 * red - 74.203 * green + 112 * blue) / 255
        let v = 128 + (112 * red - 93.786 * green - 18.214 * blue) / 255
        func fill(_ plane: inout MutablePlane, _ value: Double, _ deviation: Double) {
            for y in 0..<plane.height {
                var row = plane.row(y)
                for x in row.indices {
                    // Twelve dice of 0...1 make a bell of deviation 1.
                    var sum = -6.0
                    for _ in 0..<12 { sum += Double(random.next() >> 11) * 0x1p-53 }
                    let sample = value + (isNoisy ? deviation * sum : 0)
                    row[x] = UInt8(max(0, min(255, sample.rounded())))
                }
            }
        }
        var planes = frame.planes
        fill(&planes.y, y, 3)
        fill(&planes.u, u, 2)
        fill(&planes.v, v, 2)
        return frame.finish(captureTime: .zero)
    }

    /// The mask in each of `count` frames, 0 to 1.
    private func masks(_ code: UInt32, isNoisy: Bool, count: Int = 1) throws -> [[Double]] {
        let pool = try FramePool(resolution: Self.size, capacity: 2)
        var filter = BeautyFilter(.natural)
        return try (0..<count).map { index in
            let frame = try surface(code, isNoisy: isNoisy, seed: UInt64(index), from: pool)
            _ = try filter.apply(to: frame, into: pool)
            return (filter.mask ?? []).map { Double($0) / 255 }
        }
    }

    private func mean(_ values: [Double]) -> Double { values.reduce(0, +) / Double(values.count) }

    @Test(arguments: SkinTone.all, [false, true])
    func `Skin of every tone is skin`(tone: SkinTone, isNoisy: Bool) throws {
        let weights = try masks(tone.srgb, isNoisy: isNoisy)[0]
        // The tenth is almost grey: it counts as skin by a few hundredths.
        let least = tone.number <= 8 ? 0.5 : tone.number == 9 ? 0.25 : 0
        #expect(weights.count == 32 * 32 && mean(weights) >= least, "swatch \(tone.number): \(mean(weights))")
        #expect((weights.min() ?? 0) >= least, "swatch \(tone.number): \(weights.min() ?? 0) at the least")
    }

    @Test(
        arguments: [
            0x000000, 0x202020, 0x404040, 0x606060, 0x808080, 0xA0A0A0, 0xC0C0C0, 0xE0E0E0, 0xFFFFFF, 0x3060C0,
            0x87CEEB, 0x101040, 0x3F627C, 0x208040, 0x4E7F43, 0x90C090, 0x405030, 0x30A0A0,
        ] as [UInt32], [false, true])
    func `Gray, blue and green are not`(code: UInt32, isNoisy: Bool) throws {
        let weights = try masks(code, isNoisy: isNoisy)[0]
        #expect((weights.max() ?? 1) <= 0.1, "\(String(code, radix: 16)): \(weights.max() ?? 1)")
    }

    @Test(arguments: SkinTone.all)
    func `The mask is steady in time`(tone: SkinTone) throws {
        let masks = try masks(tone.srgb, isNoisy: true, count: 8)
        for index in 1..<8 {
            let change = zip(masks[index], masks[index - 1]).map { abs($0 - $1) }.max() ?? 1
            #expect(change < 0.05, "swatch \(tone.number), frame \(index): \(change)")
        }
    }

    @Test(arguments: [SkinTone.light, .medium, .dark])
    func `The face of the portrait is skin, and its wall is not`(tone: SkinTone) throws {
        let resolution = Resolution(width: 320, height: 180)
        let scene = try PortraitScene(
            resolution: resolution, frameRate: 30, settings: PortraitScene.Settings(skinTone: tone))
        var filter = BeautyFilter(.natural)
        _ = try filter.apply(to: existing(scene.draw(frame: 0)), into: FramePool(resolution: resolution, capacity: 1))
        let mask = filter.mask ?? []
        func weight(_ rect: PixelRect) -> Double {
            var sum = 0
            var count = 0
            for y in rect.rows.lowerBound / 2..<rect.rows.upperBound / 2 {
                for x in rect.columns.lowerBound / 2..<rect.columns.upperBound / 2 {
                    sum += Int(mask[y * 160 + x])
                    count += 1
                }
            }
            return Double(sum) / Double(255 * count)
        }
        let landmarks = scene.landmarks(frame: 0)
        for rect in landmarks.skin { #expect(weight(rect) >= 0.5, "\(tone), \(rect): \(weight(rect))") }
        #expect(weight(landmarks.wall) <= 0.1, "\(tone): \(weight(landmarks.wall))")
    }
}
