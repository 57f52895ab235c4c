// library-rtp: RillRTP alone. Packetizes a frame across the wraparound of the sequence numbers, reassembles it, and
// writes the session description that a player needs. The program imports only the product, which links everything it
// needs.

import RillRTP

let frame = (0..<5000).map { UInt8(truncatingIfNeeded: $0) }
let packetizer = VP8Packetizer(
    frameByteCount: frame.count,
    header: RTPHeader(
        marker: false, payloadType: PayloadType(96), sequenceNumber: SequenceNumber(65533),
        timestamp: RTPTimestamp(90_000), ssrc: SSRC(0xCAFE)),
    descriptor: VP8PayloadDescriptor(startsPartition: true))

var numbers: [UInt16] = []
var received: [UInt8] = []
for index in 0..<packetizer.packetCount {
    let datagram = [UInt8](capacity: packetizer.byteCount(ofPacket: index)) { output in
        packetizer.writePacket(index, of: frame.span, into: &output)
    }
    let packet = try RTPPacket(parsing: datagram.span)
    numbers.append(packet.header.sequenceNumber.rawValue)
    received.append(copying: try VP8Payload(parsing: packet.payload).piece)
}
let last = SequenceNumber(65533).advanced(by: numbers.count - 1)
print("packets \(numbers), the last is \(last); frame reassembled: \(received == frame)")

var video = MediaDescription(
    .video, port: 5004, formats: [RTPFormat(PayloadType(96), encoding: RTPFormat.Encoding("VP8"))])
for rate in [30, 29.97] {
    video.frameRate = rate
    let text = SessionDescription(media: [video]).text
    let again = try SessionDescription(text)
    print("\(text.utf8.count) bytes of SDP, \(again.media[0].frameRate ?? 0) frames per second")
}
