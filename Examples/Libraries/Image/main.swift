// library-image: RillImage alone. Scales a picture down and up again and compares it with the original; mirrors it
// twice; rotates it.

import RillCore
import RillImage

let pool = try FramePool(resolution: .vga, capacity: 3)
let smallPool = try FramePool(resolution: .qqvga, capacity: 1)
let rotatedPool = try FramePool(resolution: Rotation.clockwise90.applied(to: .vga), capacity: 1)

func slopes() -> VideoFrame? {
    guard var frame = pool.makeFrame() else { return nil }
    var planes = frame.planes
    for y in 0..<planes.y.height {
        var row = planes.y.row(y)
        for x in row.indices { row[x] = UInt8(16 + x / 4 + y / 10) }
    }
    planes.u.fill(90)
    planes.v.fill(150)
    return frame.finish(captureTime: .zero)
}

if let picture = slopes(), let small = picture.scaled(into: smallPool), let large = small.scaled(into: pool) {
    var meter = QualityMeter()
    meter.add(PictureDifference(between: picture, and: large))
    let psnr = (meter.psnr?.y ?? 0).rounded(.down)
    print("\(small.resolution) and back: \(psnr) dB")
}
if let picture = slopes(), let mirrored = picture.mirrored(into: pool), let again = mirrored.mirrored(into: pool),
    let rotated = picture.rotated(by: .clockwise90, into: rotatedPool)
{
    print("mirrored twice the same: \(again.hasSamePixels(as: picture)), rotated: \(rotated.resolution)")
}
