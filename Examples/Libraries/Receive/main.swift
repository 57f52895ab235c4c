// library-receive: RillReceive alone. Ten frames of three packets each come with jitter, one packet is lost, asked for and
// comes late: all ten are released, in their order.

import RillReceive

/// The packets of a frame: a VP8 key frame of 160x120, then frames that build on it.
func packets(ofFrame number: Int) -> [[UInt8]] {
    var frame = [UInt8](repeating: UInt8(number), count: 3000)
    let start: [UInt8] = number == 0 ? [0x10, 0, 0, 0x9D, 0x01, 0x2A, 160, 0, 120, 0] : [0x11, 0, 0]
    frame.replaceSubrange(0..<start.count, with: start)
    let packetizer = VP8Packetizer(
        frameByteCount: frame.count,
        header: RTPHeader(
            marker: false, payloadType: PayloadType(96), sequenceNumber: SequenceNumber(65530).advanced(by: 3 * number),
            timestamp: RTPTimestamp(UInt32(3000 * number)), ssrc: SSRC(0xCAFE)),
        descriptor: VP8PayloadDescriptor(startsPartition: true))
    return (0..<packetizer.packetCount).map { index in
        [UInt8](capacity: packetizer.byteCount(ofPacket: index)) { output in
            packetizer.writePacket(index, of: frame.span, into: &output)
        }
    }
}

/// When each packet comes: with jitter, and the one that is lost 80 ms after it was sent.
var arrivals: [(time: MediaTime, packet: [UInt8])] = []
for number in 0..<10 {
    let due = FrameRate(30).time(ofFrame: number)
    for (index, packet) in packets(ofFrame: number).enumerated() {
        let delay = number == 4 && index == 1 ? 80 : 20 + 7 * number % 5 + index
        arrivals.append((due + .milliseconds(delay), packet))
    }
}
arrivals.sort { $0.time < $1.time }

var buffer = JitterBuffer(JitterBufferSettings(payloadType: PayloadType(96)))
var frame: [UInt8] = []
var released: [UInt8] = []
var requested: Set<SequenceNumber> = []
var wakeTime = MediaTime.zero
// Behind the last packet comes time alone. The frame that is missed then was never sent.
for (time, packet) in arrivals + [(.zero + .milliseconds(600), [])] {
    while wakeTime <= time {
        switch buffer.poll(at: wakeTime, into: &frame) {
        case .frame: released.append(frame[20])
        case .requestPackets: if !packet.isEmpty { requested.formUnion(buffer.requestedPackets) }
        case .requestKeyFrame: print("a key frame is asked for")
        case .wait(until: let next): wakeTime = next
        }
    }
    guard !packet.isEmpty else { continue }
    _ = buffer.insert(packet.span, at: time)
    wakeTime = time
}
print("frames \(released), asked for \(requested)")
