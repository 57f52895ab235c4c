// library-files FOLDER: RillFiles alone. Writes ten pictures as Y4M and reads them back, and writes an IVF file that
// gets its name only when it is complete.

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
print("\(count) pictures of \(reader.header.resolution), the last at \(last), their luma \(sum)")

let file = OutputFile(path: folder + "/two.ivf")
let ivf = try IVFWriter(path: file.partPath, name: file.path, codec: .vp9, resolution: .qqvga)
for timestamp in [0, 3000] { try ivf.write([1, 2, 3].span, at: Int64(timestamp)) }
try ivf.finish()
try file.commit()
var payload: [UInt8] = []
let coded = try IVFReader(path: file.path)
var times: [String] = []
while let frame = try coded.next(into: &payload) { times.append("\(frame.time)") }
print("\(coded.header.frameCount) frames of \(coded.header.codec.rawValue) at \(times), the last is \(payload)")
