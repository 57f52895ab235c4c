// library-files FOLDER: RillFiles alone. Ten pictures written as Y4M and read again, and an IVF file beside it that gets its
// name when it is whole.

import RillCore
import RillFiles

let folder = CommandLine.arguments[1]
let pool = try FramePool(resolution: .qqvga, capacity: 1)

func picture(_ number: Int) -> VideoFrame? {
    guard var frame = pool.makeFrame() else { return nil }
    var planes = frame.planes
    planes.y.fill(UInt8(16 + number))
    planes.u.fill(128)
    planes.v.fill(128)
    return frame.finish(captureTime: FrameRate(25).time(ofFrame: number))
}

let writer = try Y4MWriter(path: folder + "/ten.y4m", header: Y4MHeader(resolution: .qqvga, frameRate: 25))
for number in 0..<10 {
    if let frame = picture(number) { try writer.consume(frame) }
}
try writer.finish()

let reader = try Y4MReader(path: folder + "/ten.y4m")
var (count, sum, last) = (0, 0, MediaTime.zero)
while case .frame(let frame) = try reader.next() {
    (count, sum, last) = (count + 1, sum + Int(frame.y[80, 60]), frame.captureTime)
}
print("\(count) pictures of \(reader.header.resolution), the last at \(last), their light \(sum)")

let file = OutputFile(path: folder + "/two.ivf")
let ivf = try IVFWriter(path: file.partPath, name: file.path, codec: .vp9, resolution: .qqvga)
for stamp in [0, 3000] { try ivf.write([1, 2, 3].span, at: Int64(stamp)) }
try ivf.finish()
try file.commit()
var payload: [UInt8] = []
let coded = try IVFReader(path: file.path)
var times: [String] = []
while let frame = try coded.next(into: &payload) { times.append("\(frame.time)") }
print("\(coded.header.frameCount) frames of \(coded.header.codec.rawValue) at \(times), the last is \(payload)")
