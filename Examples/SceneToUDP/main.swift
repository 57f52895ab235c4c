// scene-to-udp HOST:PORT OUT.sdp [SECONDS]
//
// Sends the portrait scene live over UDP, and writes the session description that players need:
//
//     scene-to-udp 127.0.0.1:5004 scene.sdp &
//     ffplay -protocol_whitelist file,udp,rtp scene.sdp

import Foundation
import Rill
import RillScenes
import RillTransport

let arguments = Array(CommandLine.arguments.dropFirst())
guard arguments.count >= 2 else { fatalError("usage: scene-to-udp HOST:PORT OUT.sdp [SECONDS]") }
let seconds = arguments.count > 2 ? Int(arguments[2]) ?? 10 : 10
let address = try UDPAddress.resolve(arguments[0])

let scene = try PortraitScene(resolution: .vga, frameRate: 30, frameCount: 30 * seconds)
let settings = SendSettings(layers: [.high(.vga, bitrate: .kilobits(800))], seed: .random(in: 0 ... .max))
let pipeline = try SendPipeline(settings)

let session = pipeline.description(of: .high, to: address)
try session.text.write(toFile: arguments[1], atomically: true, encoding: .utf8)

// The layer's thread sends packets to the socket; the receiver's RTCP reports arrive on the same port.
let socket = try ConnectedUDPSocket(to: address)
let sender = LiveSender(pipeline, source: scene, packets: socket)
var datagram: [UInt8] = []
while !sender.isFinished {
    if try socket.receive(into: &datagram, within: .milliseconds(100)) != nil { sender.receive(datagram.span) }
}
try sender.waitUntilFinished()
let counts = socket.statistics
print("\(sender.framesCaptured) frames in \(counts.sent) datagrams to \(address), \(counts.received) received")
