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
let call = try VideoCall(VideoCallSettings(layers: [.high(.vga, bitrate: .kilobits(800))]), source: scene)

// Packets go to the player, whose RTCP reports arrive on the same port. It sends no video.
var player = ParticipantSettings("player", at: address, key: nil)
player.streams = []
let participant = try call.add(player, over: ConnectedUDPSocket(to: address))
try participant.description(at: address).text.write(toFile: arguments[1], atomically: true, encoding: .utf8)

for await event in call.events {
    if case .sourceEnded = event { break }
}
let counts = call.statistics
await call.end()
print(
    "\(counts.layers[0].encoder.framesEncoded) frames in \(counts.transports[0].sent) datagrams to \(address),",
    "\(counts.transports[0].received) received")
