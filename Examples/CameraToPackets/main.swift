// camera-to-packets [CAMERA] [SECONDS]
//
// A camera as the RTP packets of two streams, live: the sending side in ten lines.

import Foundation
import Rill

let arguments = CommandLine.arguments.dropFirst()
guard let name = arguments.first ?? CameraDevice.list().first?.path else { fatalError("no camera is there") }
let seconds = arguments.count > 1 ? Int(arguments[2]) ?? 5 : 5

let camera = try V4L2Camera(CameraSelection(name), CameraConstraints(resolution: .vga)) { print($0) }
let resolution = camera.mode.resolution
let sender = try LiveSender(source: camera, layers: [.high(resolution, bitrate: .kilobits(800)), .low]) {
    packet, time in
    // Into your socket.
}
Thread.sleep(forTimeInterval: Double(seconds))
try sender.stop()
for layer in sender.pipeline.statistics { print("\(layer.rid): \(layer.encoder.framesEncoded) frames") }
