// camera-cost COUNT
//
// Takes so many frames from /dev/video-fake, which FakeCamera/fake-camera.c makes a camera with a frame always ready.

import Rill

let count = CommandLine.arguments.count > 1 ? Int(CommandLine.arguments[1]) ?? 1 : 1
let camera = try V4L2Camera(.path("/dev/video-fake"), CameraWish(resolution: .hd720))
var sum = 0
var taken = 0
while taken < count {
    guard case .frame(let frame) = try camera.next() else { continue }
    sum &+= Int(frame.y[345, 9])
    taken += 1
}
print(sum)
