import RillCore
import RillScenes
import RillTestSupport
import Testing

@testable import RillBeauty

/// Drawn portraits of all tones, beside wood, cardboard, plaster and bricks of about skin's color. Their faces are
/// given: no cascade sees a drawn one.
struct DrawnTonesTests {
    /// Light oak, dark wood, cardboard, a warm wall, bricks, beech.
    private static let materials: [UInt32] = [0xB08A5E, 0x6B4A32, 0xC0966A, 0xE0CDB0, 0xA86A50, 0xC8A080]
    private static let size = Resolution(width: 640, height: 360)

    /// How much of the mask is where, from 0 to 1.
    private struct Shares {
        /// The least of forehead and cheeks, the mean of the materials, and the wall.
        var (skin, materials, wall) = (0.0, 0.0, 0.0)
    }

    private func shares(_ tone: SkinTone, isFaceKnown: Bool) throws -> Shares {
        let scene = try PortraitScene(
            resolution: Self.size, frameRate: 30,
            settings: PortraitScene.Settings(skinTone: tone))
        let landmarks = scene.landmarks(frame: 0)
        let (patches, head) = (self.patches(beside: landmarks.head), landmarks.head)
        #expect(patches.allSatisfy { !$0.columns.overlaps(head.columns) })
        let picture = try painted(existing(scene.draw(frame: 0)), patches)
        var filter = BeautyFilter(.natural)
        let pool = try FramePool(resolution: Self.size, capacity: 1)
        for index in 0..<130 {
            if isFaceKnown, index % 10 == 0 { filter.giveFaces([FaceRegion(landmarks)]) }
            _ = try filter.apply(to: picture, into: pool)
        }
        let mask = filter.mask ?? []
        func share(_ rect: PixelRect) -> Double {
            let (rows, columns) = (
                (rect.rows.lowerBound + 1) / 2..<rect.rows.upperBound / 2,
                (rect.columns.lowerBound + 1) / 2..<rect.columns.upperBound / 2
            )
            var sum = 0
            for y in rows { for x in columns { sum += Int(mask[y * 320 + x]) } }
            return Double(sum) / Double(255 * rows.count * columns.count)
        }
        let inner = patches.map {
            PixelRect(
                columns: $0.columns.lowerBound + 8..<$0.columns.upperBound - 8,
                rows: $0.rows.lowerBound + 8..<$0.rows.upperBound - 8)
        }
        return Shares(
            skin: landmarks.skin.map(share).min() ?? 0,
            materials: inner.map(share).reduce(0, +) / Double(inner.count), wall: share(landmarks.wall))
    }

    /// Three to the left of a head and three to the right.
    private func patches(beside head: PixelRect) -> [PixelRect] {
        Self.materials.indices.map { index in
            let left = (index < 3 ? head.columns.lowerBound - 70 : head.columns.upperBound + 20) & ~1
            let top = (head.rows.lowerBound + 10 + index % 3 * 60) & ~1
            return PixelRect(columns: left..<left + 48, rows: top..<top + 48)
        }
    }

    /// The frame with materials, whose luma goes up and down by two code values.
    private func painted(_ frame: VideoFrame, _ patches: [PixelRect]) throws -> VideoFrame {
        var target = try frame.editable()
        var planes = target.planes
        for (rect, code) in zip(patches, Self.materials) {
            let (red, green, blue) = (Double(code >> 16 & 255), Double(code >> 8 & 255), Double(code & 255))
            // BT.601, limited range.
            let luma = 16 + (65.481 * red + 128.553 * green + 24.966 * blue) / 255
            let cb = 128 + (-37.797 * red - 74.203 * green + 112 * blue) / 255
            let cr = 128 + (112 * red - 93.786 * green - 18.214 * blue) / 255
            for y in rect.rows {
                var row = planes.y.row(y)
                for x in rect.columns { row[x] = UInt8(clamping: Int(luma) + (7 * x + 13 * y) % 5 - 2) }
            }
            for y in rect.rows.lowerBound / 2..<rect.rows.upperBound / 2 {
                var u = planes.u.row(y)
                for x in rect.columns.lowerBound / 2..<rect.columns.upperBound / 2 { u[x] = UInt8(cb.rounded()) }
                var v = planes.v.row(y)
                for x in rect.columns.lowerBound / 2..<rect.columns.upperBound / 2 { v[x] = UInt8(cr.rounded()) }
            }
        }
        return target.finish(captureTime: .zero)
    }

    @Test(arguments: 1...10)
    func `Skin of any tone is in the mask, and so is less of what looks like skin`(number: Int) throws {
        let tone = try existing(SkinTone(number: number))
        let known = try shares(tone, isFaceKnown: true)
        let unknown = try shares(tone, isFaceKnown: false)
        note("tone \(number): \(known), without a face \(unknown)")
        #expect(known.skin > 0.95 && known.wall < 0.01, "\(known)")
        #expect(known.materials < unknown.materials, "\(known), without a face \(unknown)")
    }
}
