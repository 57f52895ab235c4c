import RillCore
import RillTestSupport

@testable import RillBeauty

/// Pictures made of the real clips, with polygons: a small one on a wall, and two side by side.
enum ComposedClips {
    /// A clip at a third of its size in the middle of a wall: faces have about 22 pixels. The wall is a part of that of
    /// book, mirrored.
    static func small(_ frame: VideoFrame, wall: VideoFrame, from pool: FramePool) throws -> VideoFrame {
        var target = try existing(pool.makeFrame())
        var planes = target.planes
        func sample(_ source: borrowing Plane, _ wall: borrowing Plane, _ x: Int, _ y: Int, _ unit: Int) -> UInt8 {
            let (left, top) = (smallLeft / unit, smallTop / unit)
            let (column, row) = (3 * (x - left), 3 * (y - top))
            if column >= 0, column + 2 < source.width, row >= 0, row + 2 < source.height {
                var sum = 4
                for y in row...row + 2 { for x in column...column + 2 { sum += Int(source[x, y]) } }
                return UInt8(sum / 9)
            }
            func mirrored(_ index: Int) -> Int {
                let side = 48 / unit
                let rest = index % (2 * side)
                return rest < side ? rest : 2 * side - 1 - rest
            }
            return wall[424 / unit + mirrored(x), 96 / unit + mirrored(y)]
        }
        for y in 0..<480 {
            var row = planes.y.row(y)
            for x in row.indices { row[x] = sample(frame.y, wall.y, x, y, 1) }
        }
        for y in 0..<240 {
            var blue = planes.u.row(y)
            for x in blue.indices { blue[x] = sample(frame.u, wall.u, x, y, 2) }
            var red = planes.v.row(y)
            for x in red.indices { red[x] = sample(frame.v, wall.v, x, y, 2) }
        }
        return target.finish(captureTime: .zero)
    }

    /// Where the small clip begins.
    static let (smallLeft, smallTop) = (212, 160)

    /// Two frames side by side.
    static func pair(_ left: VideoFrame, _ right: VideoFrame, from pool: FramePool) throws -> VideoFrame {
        var target = try existing(pool.makeFrame())
        var planes = target.planes
        for y in 0..<480 {
            var row = planes.y.row(y)
            for x in row.indices { row[x] = x < 640 ? left.y[x, y] : right.y[x - 640, y] }
        }
        for y in 0..<240 {
            var blue = planes.u.row(y)
            for x in blue.indices { blue[x] = x < 320 ? left.u[x, y] : right.u[x - 320, y] }
            var red = planes.v.row(y)
            for x in red.indices { red[x] = x < 320 ? left.v[x, y] : right.v[x - 320, y] }
        }
        return target.finish(captureTime: .zero)
    }

    static let pairSize = Resolution(width: 1280, height: 480)
}
