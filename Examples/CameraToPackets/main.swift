// camera-to-packets [CAMERA] [SECONDS]
//
// Sends a camera live as two RTP streams: the sending side in ten lines.

import Foundation
import Rill

let arguments = CommandLine.arguments.dropFirst()
guard let name = arguments.first ?? CameraDevice.list().first?.path else { fatalError("no camera found") }
let seconds = arguments.count > 1 ? Int(arguments[2]) ?? 5 : 5

let camera = try V4L2Camera(CameraSelection(name), CameraConstraints(resolution: .vga)) { print($0) }
let resolution = camera.mode.resolution
let sender = try LiveSender(source: camera, layers: [.high(resolution, bitrate: .kilobits(800)), .low]) {
    packet, time in
    // Send the packet through your socket here.
}
Thread.sleep(forTimeInterval: Double(seconds))
try sender.stop()
for layer in sender.pipeline.statistics { print("\(layer.rid): \(layer.encoder.framesEncoded) frames") }
