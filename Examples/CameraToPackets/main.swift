// camera-to-packets HOST:PORT [CAMERA] [SECONDS]
//
// Sends a camera live as two RTP streams: the sending side in ten lines.

import Foundation
import Rill

let arguments = CommandLine.arguments.dropFirst()
guard let peer = arguments.first else { fatalError("usage: camera-to-packets HOST:PORT [CAMERA] [SECONDS]") }
guard let name = arguments.dropFirst().first ?? CameraDevice.list().first?.path else { fatalError("no camera found") }
let seconds = arguments.count > 2 ? Int(arguments[3]) ?? 5 : 5

let camera = try V4L2Camera(CameraSelection(name), CameraConstraints(resolution: .vga)) { print($0) }
let high = LayerSettings.high(camera.mode.resolution, bitrate: .kilobits(800))
let call = try VideoCall(VideoCallSettings(layers: [high, .low]), source: camera)
let address = try UDPAddress.resolve(peer)
// Any transport will do: a DatagramTransport of your own sends the packets through your network.
try call.connect(to: address, over: ConnectedUDPSocket(to: address), key: nil)
try await Task.sleep(for: .seconds(seconds))
for layer in call.statistics.layers { print("\(layer.rid): \(layer.encoder.framesEncoded) frames") }
await call.end()
