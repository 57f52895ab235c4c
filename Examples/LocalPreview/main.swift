// local-preview [CLIP]
//
// Shows the encoders' input (SampleMedia/portrait.ivf) in the terminal, like the self-view of a call: a tap of the
// sender.

import Rill
import RillTranscode

let source = try Clip.open(CommandLine.arguments.count > 1 ? CommandLine.arguments[1] : "SampleMedia/portrait.ivf")

/// A picture as text: one character for each of 72 by 27 patches; denser characters are lighter.
func text(_ frame: VideoFrame) -> String {
    let shades = Array(" .:-=+*#%@")
    let luma = frame.y
    var text = ""
    for row in 0..<27 {
        let line = luma.row(row * luma.height / 27)
        for column in 0..<72 { text.append(shades[Int(line[column * luma.width / 72]) * shades.count / 256]) }
        text.append("\n")
    }
    return text
}

var frameCount = 0
let preview = FrameTap { frame in
    // The frame is shared with the pipeline, not copied; a real preview passes it to the screen.
    if frameCount % 30 == 0 { print(text(frame)) }
    frameCount += 1
}
var packetCount = 0
let network = PacketTap { _, _ in packetCount += 1 }

let high = LayerSettings.high(source.format.resolution, bitrate: .kilobits(800))
let sender = try PacketSender(
    SendSettings(layers: [high, .low], seed: 1), taps: SendTaps(preprocessed: preview))
while case .frame(let frame) = try source.next() {
    try sender.send(frame, at: frame.captureTime, to: network)
}
try sender.finish()
print("\(frameCount) frames seen before they were sent in \(packetCount) packets")
