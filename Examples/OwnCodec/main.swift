// own-codec
//
// A codec that Rill does not include, through both pipelines: libaom encodes a clip as AV1, this program's own payload
// format packetizes it, the network loses every 40th packet, the receiver repairs, reassembles and decodes the stream,
// and the result is compared with the input. A hardware encoder plugs in the same way.

import Rill
import RillImage
import RillTranscode

let clip = try Clip.open("SampleMedia/portrait.ivf", capacity: 16)

// The sending side: one layer of AV1.
let layer = LayerSettings(
    rid: .high, resolution: .vga, frameRate: 30, bitrate: .kilobits(800), encoder: EncoderSettings(.av1))
var sending = SendSettings(layers: [layer], seed: 1)
sending.makeEncoder = { try AV1Encoder($0) }
sending.payloadFormat = .av1
let sender = try PacketSender(sending)

// The receiving side: its settings are what a session description would have negotiated.
var receiving = try ReceiveSettings(sender.stream(of: .high), ssrc: SSRC(0x1000))
receiving.jitterBuffer.playoutDelay = .fixed(.milliseconds(150))
receiving.jitterBuffer.payloadFormat = .av1
receiving.makeDecoder = { try AV1Decoder($0) }

/// The input by capture time, and the quality of the output.
final class Comparison: @unchecked Sendable {
    // One thread does everything here.
    var sent: [(time: MediaTime, picture: VideoFrame)] = []
    var quality = QualityMeter()
    var shown = 0
    /// The offset of received capture times: they come from RTP timestamps, which start at a random number.
    var offset: MediaDuration?
}
let comparison = Comparison()
let screen = FrameTap { shown in
    let offset = comparison.offset ?? shown.captureTime - comparison.sent[0].time
    comparison.offset = offset
    // RTP timestamps have 90,000 ticks per second: times are exact to one tick.
    let time = shown.captureTime - offset
    guard let index = comparison.sent.firstIndex(where: { abs(($0.time - time).nanoseconds) < 100_000 }) else { return }
    comparison.quality.add(PictureDifference(between: shown, and: comparison.sent[index].picture))
    comparison.sent.removeFirst(index + 1)
    comparison.shown += 1
}
var feedback: [[UInt8]] = []
let receiver = try ReceivePipeline(
    receiving, sink: screen,
    feedback: PacketTap { packet, _ in feedback.append(packet.indices.map { packet[$0] }) })

var (packetCount, lostCount) = (0, 0)
let network = PacketTap { packet, time in
    packetCount += 1
    if packetCount % 40 == 0 { lostCount += 1 } else { receiver.insert(packet, at: time) }
}

// Virtual time, in steps of a millisecond.
var now = MediaTime.zero
@MainActor func pass(until end: MediaTime) throws {
    while now < end {
        now += .milliseconds(1)
        _ = try receiver.poll(at: now)
        for packet in feedback { sender.receive(packet.span, at: now, retransmittingTo: network) }
        feedback.removeAll()
    }
}
for _ in 0..<90 {
    guard case .frame(let frame) = try clip.next() else { break }
    try pass(until: frame.captureTime)
    comparison.sent.append((frame.captureTime, frame))
    try sender.send(frame, at: now, to: network)
}
try pass(until: now + .seconds(1))

let (out, back) = (sender.statistics[0], receiver.statistics)
print(
    "\(out.encoder.framesEncoded) frames of AV1, \(out.encoder.bytesEncoded) bytes, \(packetCount) packets;",
    "\(lostCount) lost, \(out.stream.retransmittedPacketsSent) retransmitted")
print(
    "\(comparison.shown) shown, \(back.decoder.keyFramesDecoded) of them key frames,",
    "PSNR-Y \(Int(comparison.quality.psnr?.y ?? 0)) dB")
