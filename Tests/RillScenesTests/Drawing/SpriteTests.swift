import RillCore
import Testing

@testable import RillScenes

/// How sprites get into frames, against a plain reference.
struct SpriteTests {
    private static let size = Resolution(width: 53, height: 47)

    /// A disc of colored noise, soft at its edge, opaque inside.
    private let sprite: Sprite = {
        let noise = ValueNoise(seed: 9, 1)
        return Sprite(Box(0, 0, 60, 60), step: 1) { p in
            let color = RGB(0.5, 0.4, 0.3) * (1 + 0.9 * noise(p * 0.4))
            return Paint(color, coverage: bounded((26 - (p - Point(30, 30)).length) / 6))
        }
    }()

    @Test(arguments: [
        (Point(1, 0), Point(0, 0)), (Point(1, 0), Point(0.37, -0.81)), (Point(0.8, 0.5), Point(9, -14)),
        (Point(1.5, 0), Point(-12, -3)), (Point(-1, 0.1), Point(55, 50)), (Point(0.3, 0), Point(20, 20)),
    ])
    func `A rotated and shifted sprite agrees with the reference`(turn: Point, shift: Point) throws {
        func map(_ p: Point) -> Point { p.turned(cosine: turn.x, sine: turn.y) + shift }
        let all = PixelRect(columns: 0..<Self.size.width, rows: 0..<Self.size.height)
        let frame = try plainFrame(Self.size, level: 90) { sprite.draw(in: all, of: &$0, map) }
        var covered = 0
        for channel in 0..<3 {
            let (plane, scale) = (frame[plane: channel], channel == 0 ? 1 : 2)
            for y in 0..<plane.height {
                for x in 0..<plane.width {
                    let expected = mixed(channel, map(Point(Float(x) + 0.5, Float(y) + 0.5) * Float(scale)))
                    covered += expected == 90 ? 0 : 1
                    #expect(abs(Double(plane[x, y]) - expected) < 1.5, "\(channel) at \(x), \(y) by \(turn), \(shift)")
                }
            }
        }
        #expect(covered > 200, "\(covered)")
    }

    /// The ground of 90 under the four texels around a place, in plain arithmetic.
    private func mixed(_ channel: Int, _ place: Point) -> Double {
        let (column, row) = (Int(place.x.rounded(.down)), Int(place.y.rounded(.down)))
        guard place.x >= 0, place.y >= 0, column < 60, row < 60 else { return 90 }
        var (sum, coverage) = (0.0, 0.0)
        for (x, y) in [(column, row), (column + 1, row), (column, row + 1), (column + 1, row + 1)] {
            let weight = (1 - abs(Double(place.x) - Double(x))) * (1 - abs(Double(place.y) - Double(y)))
            let texel = sprite.texels[y * 61 + x]
            sum += weight * Double(texel[channel])
            coverage += weight * Double(texel.w) / 255
        }
        return sum + 90 * (1 - coverage)
    }

    @Test func `A part that is painted again is as if it had been painted first`() {
        func color(_ p: Point) -> Paint { Paint(RGB(p.x / 60, p.y / 60, 0.5), coverage: 1) }
        let fresh = Sprite(Box(0, 0, 60, 60), step: 1, painter: color)
        var again = sprite
        again.paint(Box(-5, -5, 70, 70), color)
        #expect(again.texels == fresh.texels)
        again.paint(Box(20, 10, 30, 15)) { _ in .zero }
        let changed = zip(again.texels, fresh.texels).count { $0 != $1 }
        #expect((66...120).contains(changed), "\(changed)")
    }
}
