// library-capture: RillCapture alone. Counts the cameras of this machine, and plays a clip of two frames in a loop, as
// if it were a camera.

import RillCapture
import RillCore

/// Two empty pictures.
final class Clip: FrameSource {
    let format = SourceFormat(resolution: .qqvga, frameRate: 10, frameCount: 2)
    private let pool: FramePool
    private var count = 0

    init() throws { pool = try FramePool(resolution: .qqvga, capacity: 2) }

    func next() -> SourceOutput {
        guard count < 2 else { return .end }
        guard let frame = pool.makeFrame() else { return .noBuffer }
        count += 1
        return .frame(frame.finish(captureTime: FrameRate(10).time(ofFrame: count - 1)))
    }
}

print(
    "cameras: \(CameraDevice.list().count), selections: \(CameraSelection("0")), \(CameraSelection("/dev/video2"))"
)

let clip = try LiveClip(atEnd: .loop) { try Clip() }
var times: [String] = []
while times.count < 5, case .frame(let frame) = try clip.next() { times.append("\(frame.captureTime)") }
print("frames of the clip at \(times.joined(separator: " "))")
