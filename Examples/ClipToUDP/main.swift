// clip-to-udp HOST:PORT OUT.sdp [CLIP]
//
// Sends a clip (SampleMedia/portrait.ivf) live over UDP, and writes the session description that players need:
//
//     clip-to-udp 127.0.0.1:5004 clip.sdp &
//     ffplay -protocol_whitelist file,udp,rtp clip.sdp

import Foundation
import Rill
import RillTranscode
import RillTransport

let arguments = Array(CommandLine.arguments.dropFirst())
guard arguments.count >= 2 else { fatalError("usage: clip-to-udp HOST:PORT OUT.sdp [CLIP]") }
let clip = try Clip.open(arguments.count > 2 ? arguments[2] : "SampleMedia/portrait.ivf")
let address = try UDPAddress.resolve(arguments[0])

let layer = LayerSettings.high(clip.format.resolution, bitrate: .kilobits(800))
let call = try VideoCall(VideoCallSettings(layers: [layer]), source: clip)

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
