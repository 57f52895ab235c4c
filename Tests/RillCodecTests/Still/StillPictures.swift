import RillCore
import RillTestSupport

/// Pictures of a soft texture, and what can happen to it.
struct StillPictures {
    static let resolution = Resolution(width: 320, height: 240)

    private let pool: FramePool
    /// Waves of several lengths, wider than a picture.
    private let texture: [[Double]]

    init() throws {
        pool = try FramePool(resolution: Self.resolution, capacity: 4)
        var random = SeededGenerator(seed: 7)
        let cell = 16
        let (width, height) = (Self.resolution.width + 80, Self.resolution.height)
        let lattice = (0...height / cell + 1).map { _ in
            (0...width / cell + 1).map { _ in Double(Int.random(in: 105...140, using: &random)) }
        }
        texture = (0..<height).map { y in
            (0..<width).map { x in
                let (dx, dy) = (Double(x % cell) / Double(cell), Double(y % cell) / Double(cell))
                let (upper, lower) = (lattice[y / cell], lattice[y / cell + 1])
                return (upper[x / cell] * (1 - dx) + upper[x / cell + 1] * dx) * (1 - dy)
                    + (lower[x / cell] * (1 - dx) + lower[x / cell + 1] * dx) * dy
            }
        }
    }

    /// - Parameters:
    ///   - index: the number of the picture, for its time and its noise.
    ///   - noise: the largest deviation of luma.
    ///   - shift: the motion of the picture in pixels.
    ///   - light: added to luma.
    ///   - u: added to U.
    ///   - livelyRows: rows at the top that show something else in every picture.
    ///   - spot: a square of 8 samples a side that is darker by that; its top left corner is at 100, 100.
    func picture(
        _ index: Int, noise: Int = 0, shift: Double = 0, light: Double = 0, u: Int = 0, livelyRows: Int = 0,
        spot: Double = 0
    ) throws -> VideoFrame {
        guard var frame = pool.makeFrame() else { throw TestFailure("the pool is dry") }
        var planes = frame.planes
        var random = SeededGenerator(seed: UInt64(index))
        let part = shift - Double(Int(shift))
        for y in 0..<planes.y.height {
            var row = planes.y.row(y)
            let whole = y < livelyRows ? 17 * index % 40 : Int(shift)
            for x in row.indices {
                var value = texture[y][x + whole] * (1 - part) + texture[y][x + whole + 1] * part + light
                if (100..<108).contains(x), (100..<108).contains(y) { value -= spot }
                // The noise of two numbers is near to a sensor's.
                if noise > 0 {
                    value += Double(Int.random(in: -noise...noise, using: &random))
                    value += Double(Int.random(in: -noise...noise, using: &random))
                }
                row[x] = UInt8(value.rounded())
            }
        }
        planes.u.fill(UInt8(120 + u))
        planes.v.fill(130)
        return frame.finish(captureTime: FrameRate(30).time(ofFrame: index))
    }
}
