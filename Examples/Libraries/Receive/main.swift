// library-receive: RillReceive alone, in an app that has its own decoder. Ten frames of three packets each arrive with
// jitter. One packet is lost: the receiver NACKs it over RTCP, the sender retransmits it on a separate stream, and all
// ten frames are released in order.

import RillReceive

let (stream, retransmissions) = (SSRC(0xCAFE), SSRC(0xBEEF))

/// The packets of a frame: a VP8 key frame of 160x120, then frames that build on it.
func packets(ofFrame number: Int) -> [[UInt8]] {
    var frame = [UInt8](repeating: UInt8(number), count: 3000)
    let start: [UInt8] = number == 0 ? [0x10, 0, 0, 0x9D, 0x01, 0x2A, 160, 0, 120, 0] : [0x11, 0, 0]
    frame.replaceSubrange(0..<start.count, with: start)
    let packetizer = VP8Packetizer(
        frameByteCount: frame.count,
        header: RTPHeader(
            marker: false, payloadType: PayloadType(96), sequenceNumber: SequenceNumber(65530).advanced(by: 3 * number),
            timestamp: RTPTimestamp(UInt32(3000 * number)), ssrc: stream),
        descriptor: VP8PayloadDescriptor(startsPartition: true))
    return (0..<packetizer.packetCount).map { index in
        [UInt8](capacity: packetizer.byteCount(ofPacket: index)) { output in
            packetizer.writePacket(index, of: frame.span, into: &output)
        }
    }
}

/// The datagrams in flight, and when they arrive.
var way: [(time: MediaTime, packet: [UInt8])] = []
var lost: [UInt8] = []
for number in 0..<10 {
    for (index, packet) in packets(ofFrame: number).enumerated() {
        let delay = MediaDuration.milliseconds(20 + 7 * number % 5 + index)
        if number == 4 && index == 1 {
            lost = packet
        } else {
            way.append((FrameRate(30).time(ofFrame: number) + delay, packet))
        }
    }
}
way.sort { $0.time < $1.time }

/// The packets that an RTCP datagram NACKs, and the number of its reports.
func reading(_ datagram: Span<UInt8>) throws(RTPError) -> (nacked: [SequenceNumber], reports: Int) {
    var (nacked, reports) = ([SequenceNumber](), 0)
    var compound = RTCPCompound(datagram)
    while let packet = try compound.next() {
        switch try RTCPMessage(parsing: packet) {
        case .genericNACK(let nack):
            var numbers = nack.lostPackets
            while let number = numbers.next() { nacked.append(number) }
        case .receiverReport: reports += 1
        default: break
        }
    }
    return (nacked, reports)
}

var nacked: Set<SequenceNumber> = []
var (reports, answers) = (0, 0)
/// The sender: it reads the NACKs; its retransmissions arrive 15 ms later.
let sender = PacketTap { datagram, now in
    guard let read = try? reading(datagram) else { return print("this is not RTCP") }
    reports += read.reports
    nacked.formUnion(read.nacked)
    guard !read.nacked.isEmpty, answers == 0 else { return }
    answers += 1
    let again = [UInt8](capacity: lost.count + RetransmittedPacket.headerByteCount) { output in
        try? RetransmittedPacket.write(
            lost.span, payloadType: PayloadType(97), sequenceNumber: SequenceNumber(0), ssrc: retransmissions,
            into: &output)
    }
    way.insert(
        (now + .milliseconds(15), again), at: way.firstIndex { $0.time > now + .milliseconds(15) } ?? way.endIndex)
}

var settings = StreamReceiverSettings(
    jitterBuffer: JitterBufferSettings(ssrc: stream, payloadType: PayloadType(96)), ssrc: SSRC(1))
settings.repair.retransmission = RepairSettings.Retransmission(ssrc: retransmissions, payloadType: PayloadType(97))
settings.reportInterval = .milliseconds(100)
let receiver = StreamReceiver(settings)
let output = ReceiveOutput()
var (frame, released): ([UInt8], [UInt8]) = ([], [])
// A driver sleeps until `wakeTime` or the next datagram; here time advances in steps of a millisecond.
for millisecond in 0..<345 {
    let now = MediaTime.zero + .milliseconds(millisecond)
    while let next = way.first, next.time <= now {
        way.removeFirst()
        receiver.insert(next.packet.span, at: now)
    }
    while receiver.wakeTime <= now, case .decode(let description) = receiver.poll(at: now, into: &frame, output: output)
    {
        released.append(frame[20])
        receiver.finish(description, .decoded, decoded: now, at: now)
    }
    output.deliver(to: sender)
}
print(
    "frames \(released), NACKed \(nacked), retransmitted: \(receiver.repairStatistics.retransmittedPacketsReceived),",
    "reports: \(reports > 0)")
