// library-beauty: RillBeauty alone. The filter removes noise on skin and keeps noise on a blue wall.

import RillBeauty
import RillCore

let pool = try FramePool(resolution: Resolution(width: 320, height: 240), capacity: 2)

/// A wall on the left and skin on the right, both with the same noise.
func scene() -> VideoFrame? {
    var generator = SeededGenerator(seed: 1)
    guard var frame = pool.makeFrame() else { return nil }
    var planes = frame.planes
    for y in 0..<240 {
        var row = planes.y.row(y)
        for x in 0..<320 { row[x] = UInt8.random(in: 145...155, using: &generator) }
    }
    for y in 0..<120 {
        var u = planes.u.row(y)
        for x in u.indices { u[x] = x < 80 ? 160 : 110 }
        var v = planes.v.row(y)
        for x in v.indices { v[x] = x < 80 ? 100 : 150 }
    }
    return frame.finish(captureTime: .zero)
}

/// The mean absolute difference of neighboring pixels in these columns.
func noise(of picture: VideoFrame, _ columns: Range<Int>) -> Double {
    var sum = 0
    for y in 20..<220 {
        for x in columns { sum += abs(Int(picture.y[x, y]) - Int(picture.y[x + 1, y])) }
    }
    return Double(sum) / Double(200 * columns.count)
}

var filter = BeautyFilter(BeautyOptions(lightening: 0, smoothness: 0.5, redness: 0, sharpness: 0))
if let picture = scene(), let beautiful = try filter.apply(to: picture, into: pool) {
    let skin = noise(of: beautiful, 180..<300) / noise(of: picture, 180..<300)
    let wall = noise(of: beautiful, 20..<140) / noise(of: picture, 20..<140)
    print("noise left: skin \((100 * skin).rounded()) %, wall \((100 * wall).rounded()) %")
}
