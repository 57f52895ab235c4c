// library-rill: Rill alone. Sends and receives a second of video in one thread with virtual time: pictures in, RTP
// packets, of which one is lost and retransmitted, pictures out.

import Rill

let pool = try FramePool(resolution: .vga, capacity: 4)
let sender = try PacketSender(SendSettings(layers: [.high(.vga, bitrate: .kilobits(800))], seed: 1))
let settings = try ReceiveSettings(sender.stream(of: .high), ssrc: SSRC(1))

// Packets in flight, in both directions, arrive in the next step of 10 ms.
var (packets, feedback, packetCount, brightness) = ([[UInt8]](), [[UInt8]](), 0, [Int]())
let network = PacketTap { packet, _ in
    packetCount += 1
    if packetCount != 15 { packets.append(packet.indices.map { packet[$0] }) }
}
let returnPath = PacketTap { packet, _ in feedback.append(packet.indices.map { packet[$0] }) }
let receiver = try ReceivePipeline(
    settings, sink: FrameTap { picture in brightness.append(Int(picture.y[320, 240])) }, feedback: returnPath)

var sent = 0
for step in 0..<150 {
    let now = MediaTime.zero + .milliseconds(10 * step)
    for packet in packets { receiver.insert(packet.span, at: now) }
    packets.removeAll()
    _ = try receiver.poll(at: now)
    for packet in feedback { sender.receive(packet.span, at: now, retransmittingTo: network) }
    feedback.removeAll()
    guard sent < 30, FrameRate(30).time(ofFrame: sent) <= now, var frame = pool.makeFrame() else { continue }
    var planes = frame.planes
    planes.y.fill(UInt8(40 + 5 * sent))
    planes.u.fill(110)
    planes.v.fill(140)
    try sender.send(frame.finish(captureTime: FrameRate(30).time(ofFrame: sent)), at: now, to: network)
    sent += 1
}
let isRight = brightness.enumerated().allSatisfy { abs($1 - (40 + 5 * $0)) <= 2 }
let retransmitted = receiver.statistics.repair.retransmittedPacketsReceived
print(
    "\(brightness.count) of \(sent) frames shown, all unchanged: \(isRight), packets retransmitted: \(retransmitted)"
)
