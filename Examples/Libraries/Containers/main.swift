// library-containers CLIP: RillContainers alone. Counts a clip's frames and averages the luma at their center.

import RillContainers
import RillCore

let source = try ContainerSource(path: CommandLine.arguments[1])
var (count, last, luma) = (0, MediaTime.zero, 0.0)
reading: while true {
    switch try source.next() {
    case .frame(let frame):
        count += 1
        last = frame.captureTime
        luma += Double(frame.y[frame.y.width / 2, frame.y.height / 2])
    case .noBuffer, .pending: continue
    case .end: break reading
    }
}
let mean = (luma / Double(max(1, count))).rounded()
print("\(count) frames of \(source.codecName), \(source.format.resolution), the last at \(last), mean luma \(mean)")
