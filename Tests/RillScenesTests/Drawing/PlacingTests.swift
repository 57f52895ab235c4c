import RillCore
import Testing

@testable import RillScenes

/// How sprites get into frames, against a plain reference.
struct PlacingTests {
    private static let size = Resolution(width: 53, height: 47)

    /// A disc of coloured noise, soft at its edge, opaque inside.
    private let sprite: Sprite = {
        let noise = ValueNoise(seed: 9, 1)
        return Sprite(Box(0, 0, 60, 60), texel: 1, side: 1) { canvas in
            canvas.paint(Box(0, 0, 60, 60)) { p in
                let color = RGB(0.5, 0.4, 0.3) * (1 + 0.9 * noise(p * 0.4))
                return Paint(color, coverage: bounded((26 - (p - Point(30, 30)).length) / 6))
            }
        }
    }()

    private func put(_ map: (Point) -> Point) throws -> VideoFrame {
        let size = PlacingTests.size
        let all = PixelRect(columns: 0..<size.width, rows: 0..<size.height)
        return try plainFrame(size, level: 90) { $0.put(sprite, in: all, texel: map) }
    }

    @Test func `An unmoved sprite is written texel by texel`() throws {
        let frame = try put { $0 }
        for y in 20..<40 {
            for x in 20..<40 { #expect(frame.y[x, y] == sprite.luma[y * sprite.grid.columns + x], "\(x), \(y)") }
        }
        for y in 12..<18 {
            for x in 12..<18 { #expect(frame.u[x, y] == sprite.u[y * sprite.chromaColumns + x], "\(x), \(y)") }
        }
        #expect(frame.y[0, 0] == 90 && frame.u[0, 0] == 90 && frame.v[0, 0] == 90)
    }

    @Test(arguments: [
        (Point(1, 0), Point(0, 0)), (Point(1, 0), Point(0.37, -0.81)), (Point(0.8, 0.5), Point(9, -14)),
        (Point(1.5, 0), Point(-12, -3)), (Point(-1, 0.1), Point(55, 50)), (Point(0.3, 0), Point(20, 20)),
    ])
    func `A rotated and shifted sprite agrees with the reference`(turn: Point, shift: Point) throws {
        func map(_ p: Point) -> Point { p.turned(cosine: turn.x, sine: turn.y) + shift }
        let frame = try put(map)
        let (columns, rows) = (sprite.grid.columns, sprite.grid.rows)
        for y in 0..<PlacingTests.size.height {
            for x in 0..<PlacingTests.size.width {
                let place = map(Point(Float(x) + 0.5, Float(y) + 0.5)) - 0.5
                let expected = mixed(sprite.luma, sprite.lumaCoverage, columns, rows, place)
                #expect(abs(Double(frame.y[x, y]) - expected) < 2.5, "luma at \(x), \(y) by \(turn), \(shift)")
            }
        }
        for y in 0..<PlacingTests.size.chroma.height {
            for x in 0..<PlacingTests.size.chroma.width {
                let place = map(Point(Float(2 * x + 1), Float(2 * y + 1))) / 2 - 0.5
                let u = mixed(sprite.u, sprite.chromaCoverage, columns / 2, rows / 2, place)
                let v = mixed(sprite.v, sprite.chromaCoverage, columns / 2, rows / 2, place)
                #expect(abs(Double(frame.u[x, y]) - u) < 2.5, "U at \(x), \(y) by \(turn), \(shift)")
                #expect(abs(Double(frame.v[x, y]) - v) < 2.5, "V at \(x), \(y) by \(turn), \(shift)")
            }
        }
    }

    /// The ground of 90 under the four texels around a place, in plain arithmetic.
    private func mixed(
        _ plane: [UInt8], _ coverage: [UInt8], _ columns: Int, _ rows: Int, _ place: Point
    ) -> Double {
        let column = Int(place.x.rounded(.down))
        let row = Int(place.y.rounded(.down))
        guard column >= 0, column < columns - 1, row >= 0, row < rows - 1 else { return 90 }
        let tx = Double(place.x) - Double(column)
        let ty = Double(place.y) - Double(row)
        func mean(_ plane: [UInt8]) -> Double {
            let index = row * columns + column
            let above = Double(plane[index]) * (1 - tx) + Double(plane[index + 1]) * tx
            let below = Double(plane[index + columns]) * (1 - tx) + Double(plane[index + columns + 1]) * tx
            return above * (1 - ty) + below * ty
        }
        return mean(plane) + 90 * (1 - mean(coverage) / 255)
    }

    @Test(arguments: [Point(1e9, 0), Point(-1e9, 1e9), Point(.infinity, 0), Point(0, -40000)])
    func `Distant positions change nothing`(shift: Point) throws {
        let frame = try put { $0 + shift }
        #expect(frame.samples.allSatisfy { $0 == 90 })
    }

    @Test func `A restored region is the original again`() {
        var changed = sprite
        let region = sprite.region(touching: Box(24, 25, 34, 33))
        var canvas = Canvas(sprite.canvasGrid(region, side: 1))
        canvas.paint(canvas.grid.box) { _ in Paint(RGB(1, 0, 0), coverage: 1) }
        changed.cover(region, canvas, side: 1)
        #expect(changed.luma != sprite.luma && changed.u != sprite.u && changed.v != sprite.v)
        changed.restore(region, from: sprite)
        #expect(changed.luma == sprite.luma && changed.u == sprite.u && changed.v == sprite.v)
        changed.shift(region, of: sprite) { _ in 0 }
        #expect(changed.luma == sprite.luma && changed.u == sprite.u && changed.v == sprite.v)
    }
}
