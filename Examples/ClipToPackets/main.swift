// clip-to-packets OUT.rtpdump [CLIP]
//
// Sends a clip (SampleMedia/portrait.ivf) as simulcast: a high layer, and a low one of 160x120 at five frames per
// second. The packets are written to an rtpdump file, which Wireshark opens; an app writes them to a socket.

import Rill
import RillFiles
import RillTranscode

let paths = Array(CommandLine.arguments.dropFirst())
let source = try Clip.open(paths.count > 1 ? paths[1] : "SampleMedia/portrait.ivf")

let packets = try RTPDumpWriter(path: paths.first ?? "out.rtpdump")
let high = LayerSettings.high(source.format.resolution, bitrate: .suggested(for: source.format.resolution))
let sender = try PacketSender(SendSettings(layers: [high, .low], seed: 1))

while case .frame(let frame) = try source.next() {
    try sender.send(frame, at: frame.captureTime, to: packets)
}
try sender.finish()
try packets.finish()
