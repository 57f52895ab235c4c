// clip-to-packets OUT.rtpdump [CLIP.y4m]
//
// Sends a clip, or five seconds of the portrait scene, as simulcast: a high layer, and a low one of 160x120 at five
// frames per second. The packets are written to an rtpdump file, which Wireshark opens; an app writes them to a socket.

import Rill
import RillFiles
import RillScenes

let paths = Array(CommandLine.arguments.dropFirst())
let source: any FrameSource =
    paths.count > 1
    ? try Y4MReader(path: paths[1]) : try PortraitScene(resolution: .vga, frameRate: 30, frameCount: 150)

let packets = try RTPDumpWriter(path: paths.first ?? "out.rtpdump")
let high = LayerSettings.high(source.format.resolution, bitrate: .suggested(for: source.format.resolution))
let sender = try PacketSender(SendSettings(layers: [high, .low], seed: 1))

while case .frame(let frame) = try source.next() {
    try sender.send(frame, at: frame.captureTime, to: packets)
}
try sender.finish()
try packets.finish()
