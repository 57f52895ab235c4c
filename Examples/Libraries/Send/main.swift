// library-send: RillSend alone, in an app that has its own encoder, for example in hardware. Ten frames are sent; two
// packets are lost, NACKed, and retransmitted on a separate stream.

import RillCore
import RillRTP
import RillSend

/// The encoder's output: the bytes of a VP8 frame and its description. The first is a key frame.
func codedFrame(_ number: Int) -> (EncodedFrame, [UInt8]) {
    let start: [UInt8] = number == 0 ? [0x10, 0, 0, 0x9D, 0x01, 0x2A, 128, 2, 224, 1] : [0x11, 0, 0]
    let bytes = start + [UInt8](repeating: UInt8(number), count: number == 0 ? 5000 : 2000)
    let frame = EncodedFrame(
        codec: .vp8, layer: StreamLayer(rid: .high), number: Int64(number),
        references: number == 0 ? FrameReferences() : FrameReferences(Int64(number - 1)), isKey: number == 0,
        resolution: .vga, captureTime: FrameRate(30).time(ofFrame: number), byteCount: bytes.count)
    return (frame, bytes)
}

var settings = RTPStreamSettings(ssrc: SSRC(0xCAFE), payloadType: PayloadType(96), canonicalName: "own-encoder")
settings.firstSequenceNumber = SequenceNumber(65530)
settings.retransmission = RetransmissionSettings(ssrc: SSRC(0xBEEF), payloadType: PayloadType(97))

var (arrived, retransmitted, lost) = (0, 0, [SequenceNumber]())
let network = PacketTap { packet, _ in
    guard let header = try? RTPPacket(parsing: packet).header else { return }
    switch (header.ssrc, header.sequenceNumber) {
    case (SSRC(0xBEEF), _): retransmitted += 1
    case (_, SequenceNumber(65534)), (_, SequenceNumber(3)): lost.append(header.sequenceNumber)
    default: arrived += 1
    }
}
var sender = try RTPStreamSender(settings)
for number in 0..<10 {
    let (frame, bytes) = codedFrame(number)
    sender.send(frame, payload: bytes.span, at: frame.captureTime, to: network)
}
let nack = [UInt8](capacity: GenericNACK.byteCount(lost: lost.span)) { output in
    GenericNACK.write(lost: lost.span, of: settings.ssrc, from: SSRC(1), into: &output)
}
sender.receive(nack.span, at: .zero + .milliseconds(400), retransmittingTo: network) { feedback in
    if feedback == .keyFrameRequested { print("the receiver requests a key frame") }
}
print(
    "\(sender.statistics.framesSent) frames, \(arrived) packets arrived, lost \(lost), retransmitted: \(retransmitted)")
