import RillCore
import RillTestSupport

@testable import RillScenes

/// What the tests of scenes ask of a picture.
extension VideoFrame {
    /// All samples, plane after plane, row after row, without the gaps between rows.
    var samples: [UInt8] {
        var all: [UInt8] = []
        for index in 0..<3 {
            let plane = self[plane: index]
            for row in 0..<plane.height { all.append(copying: plane.row(row)) }
        }
        return all
    }

    /// Of all samples.
    var checksum: UInt64 {
        var sum = Checksum()
        let samples = samples
        sum.add(samples.span)
        return sum.value
    }

    /// The samples of plane `index` in a rectangle given in pixels of luma.
    func samples(plane index: Int, in area: PixelRect) -> [Double] {
        let plane = self[plane: index]
        let scale = index == 0 ? 1 : 2
        var result: [Double] = []
        for y in area.rows.lowerBound / scale..<area.rows.upperBound / scale {
            for x in area.columns.lowerBound / scale..<area.columns.upperBound / scale {
                result.append(Double(plane[x, y]))
            }
        }
        return result
    }

    /// The mean of plane `index` in a rectangle.
    func mean(plane index: Int, in area: PixelRect) -> Double { samples(plane: index, in: area).mean }
}

extension [Double] {
    var mean: Double { reduce(0, +) / Double(count) }

    /// The standard deviation.
    var deviation: Double {
        let mean = self.mean
        return (reduce(0) { $0 + ($1 - mean) * ($1 - mean) } / Double(count)).squareRoot()
    }

    /// How much this goes along with `other`: 1 the same, 0 nothing in common.
    func correlation(with other: [Double]) -> Double {
        let (a, b) = (mean, other.mean)
        let together = zip(self, other).reduce(0) { $0 + ($1.0 - a) * ($1.1 - b) } / Double(count)
        return together / (deviation * other.deviation)
    }

    /// The mean of the differences, without their signs.
    func meanDifference(from other: [Double]) -> Double {
        zip(self, other).reduce(0) { $0 + abs($1.0 - $1.1) } / Double(count)
    }
}

extension PixelRect {
    var centre: (x: Double, y: Double) {
        (
            Double(columns.lowerBound + columns.upperBound) / 2,
            Double(rows.lowerBound + rows.upperBound) / 2
        )
    }
}

/// A frame of one grey, changed by `body`.
func plainFrame(_ resolution: Resolution, level: UInt8, _ body: (inout MutablePlanes) -> Void) throws -> VideoFrame {
    let pool = try FramePool(resolution: resolution, capacity: 1)
    guard var frame = pool.makeFrame() else { preconditionFailure("a new pool is dry") }
    var planes = frame.planes
    planes.y.fill(level)
    planes.u.fill(level)
    planes.v.fill(level)
    body(&planes)
    return frame.finish(captureTime: .zero)
}
