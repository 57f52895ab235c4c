// library-core: RillCore alone. Takes a picture from a pool of one and fills its luma with a ramp; asks the pool for
// another while the picture is in use, and again afterwards. Then media times, rates and their notation.

import RillCore

func ramp(from pool: FramePool, at time: MediaTime) -> VideoFrame? {
    guard var frame = pool.makeFrame() else { return nil }
    var planes = frame.planes
    for y in 0..<planes.y.height {
        var row = planes.y.row(y)
        for x in row.indices { row[x] = UInt8(truncatingIfNeeded: x + y) }
    }
    planes.u.fill(128)
    planes.v.fill(128)
    return frame.finish(captureTime: time)
}

let pool = try FramePool(resolution: .qqvga, capacity: 1)
let rate = FrameRate(30000, per: 1001)
var picture = ramp(from: pool, at: rate.time(ofFrame: 30))
let (size, corner) = picture.map { ($0.resolution, $0.y[159, 119]) } ?? (.vga, 0)
let time = picture?.captureTime ?? .zero
let second = ramp(from: pool, at: .zero)
picture = nil
let third = ramp(from: pool, at: .zero)
print("\(size), \(corner) in the corner, at \(time); a second: \(second != nil), after the first: \(third != nil)")

let bitrate = try Bitrate(notation: "1.5M")
let duration = bitrate.duration(ofBytes: 1200)
print(
    "\(bitrate.kilobits) kbit/s take \(duration) for 1200 bytes; \(try Resolution(notation: "1280x720").pixelCount) pixels"
)
