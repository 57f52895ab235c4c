// library-containers CLIP: RillContainers alone. Counts a clip's frames and looks at their light.

import RillContainers
import RillCore

let source = try ContainerSource(path: CommandLine.arguments[1])
var (count, last, light) = (0, MediaTime.zero, 0.0)
reading: while true {
    switch try source.next() {
    case .frame(let frame):
        count += 1
        last = frame.captureTime
        light += Double(frame.y[frame.y.width / 2, frame.y.height / 2])
    case .noBuffer, .pending: continue
    case .end: break reading
    }
}
let mean = (light / Double(max(1, count))).rounded()
print("\(count) frames of \(source.codecName), \(source.format.resolution), the last at \(last), \(mean) in the middle")
