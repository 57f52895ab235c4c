import RillCore
import RillRTP
import RillReceive
import RillWireFuzzTargets

/// All that a network may bring of a stream with RTX, RED and ULPFEC, through the restorer into the jitter buffer.
///
/// The first byte says what the session agreed on; then datagrams, each with two bytes before it: eleven bits of its
/// length, and in the upper five the time since the one before, in units of 8 ms.
func fuzzRestorer(_ bytes: Span<UInt8>) {
    guard bytes.count > 0 else { return }
    let agreed = bytes[0]
    var settings = JitterBufferSettings(ssrc: agreed & 1 == 0 ? Stream.ssrc : nil, payloadType: Stream.media)
    settings.packetCapacity = agreed & 2 == 0 ? 16 : 64
    var restorer = PacketRestorer(Stream.repair(agreed), for: settings)
    var buffer = JitterBuffer(settings)
    var frame: [UInt8] = []
    var now = MediaTime.zero
    var lastNumber = Int64.min
    var position = 1
    while position + 2 <= bytes.count {
        let word = Int(bytes[position]) << 8 | Int(bytes[position + 1])
        let end = position + 2 + min(word & 0x7FF, bytes.count - position - 2)
        now += .milliseconds(8 * (word >> 11))
        restorer.insert(bytes.extracting((position + 2)..<end)) { packet in
            switch packet {
            case .media(let packet, let origin):
                precondition(isSound(packet, origin))
                _ = buffer.insert(packet, origin: origin, at: now)
            case .withoutMedia(let header): _ = buffer.notePacketWithoutMedia(header, at: now)
            }
        }
        position = end
        poll(&buffer, at: now, into: &frame, &lastNumber)
    }
    poll(&buffer, at: now + .seconds(10), into: &frame, &lastNumber)
}

private enum Stream {
    static let ssrc = SSRC(0xCAFE)
    static let media = PayloadType(96)
    static let rtx = PayloadType(97)
    static let red = PayloadType(100)
    static let fec = PayloadType(101)
    static let rtxSSRC = SSRC(0xBEEF)

    static func repair(_ agreed: UInt8) -> RepairSettings {
        var repair = RepairSettings()
        if agreed & 4 == 0 { repair.retransmission = .init(ssrc: rtxSSRC, payloadType: rtx) }
        if agreed & 8 == 0 { repair.redPayloadType = red }
        if agreed & 16 == 0 { repair.fecPayloadType = fec }
        return repair
    }
}

/// What was restored is a packet of the stream.
private func isSound(_ packet: Span<UInt8>, _ origin: PacketOrigin) -> Bool {
    guard origin == .fec else { return true }
    // What was restored and cannot be read is the finding.
    guard let header = try? RTPHeader(parsing: packet) else { return false }
    return header.payloadType == Stream.media && packet.count <= 1500
}

/// Polls until it is told to wait: soon, for later, with no frame twice, and memory under its bound.
private func poll(
    _ buffer: inout JitterBuffer, at now: MediaTime, into frame: inout [UInt8], _ lastNumber: inout Int64
) {
    for _ in 0..<1000 {
        switch buffer.poll(at: now, into: &frame) {
        case .frame:
            let released = buffer.releasedFrame.frame
            precondition(released.number > lastNumber && frame.count == released.byteCount)
            lastNumber = released.number
        case .requestKeyFrame, .requestPackets: continue
        case .wait(let time):
            precondition(time > now && buffer.occupancy.packets <= 64)
            return
        }
    }
    preconditionFailure("polling does not come to an end")
}

func restorerSeeds() -> [FuzzTarget.Seed] {
    // Three frames of two packets; a key frame first (RFC 6386 §9.1: its start code and size, 160x120).
    let packets = (0..<6).map { index in
        let descriptor: [UInt8] = [index % 2 == 0 ? 0x10 : 0x00]
        let start: [UInt8] =
            index == 0 ? [0x10, 0x02, 0x00, 0x9D, 0x01, 0x2A, 0xA0, 0x00, 0x78, 0x00] : [0x11, 0x02, 0x00]
        let payload = descriptor + start + [UInt8](repeating: UInt8(index), count: 10 + index)
        return packet(Stream.media, UInt16(truncatingIfNeeded: 65_533 + index), payload, isLast: index % 2 == 1)
    }
    var buffer = [UInt8](repeating: 0, count: 128)
    var fecPacket = ULPFECBuilder(base: SequenceNumber(65_533))
    for packet in packets[0..<4] {
        var span = buffer.mutableSpan
        fecPacket.add(packet.span, in: &span)
    }
    let sums = buffer
    let payload = [UInt8](capacity: fecPacket.byteCount) { output in fecPacket.write(sums.span, into: &output) }
    let bare = packet(Stream.fec, 1, payload, isLast: false)
    let padding = packet(Stream.rtx, 9, [], isLast: false, ssrc: Stream.rtxSSRC)
    return [
        // The second packet is made from the FEC packet; padding asks nothing.
        FuzzTarget.Seed("parity", agreed: 8, [packets[0], packets[2], packets[3], bare, padding] + packets[4...]),
        FuzzTarget.Seed("parity-in-red", agreed: 0, [packets[0], packets[2], packets[3], bare, packets[4]].map(red)),
        FuzzTarget.Seed(
            "retransmission", agreed: 24, [packets[0], packets[2], packets[3]] + [rtx(packets[1])] + packets[4...]),
        FuzzTarget.Seed("retransmission-of-red", agreed: 3, [red(packets[0]), red(packets[2]), rtx(red(packets[1]))]),
        FuzzTarget.Seed("nothing", agreed: 28, packets),
    ]
}

private func packet(
    _ type: PayloadType, _ number: UInt16, _ payload: [UInt8], isLast: Bool, ssrc: SSRC = Stream.ssrc
) -> [UInt8] {
    let header = RTPHeader(
        marker: isLast, payloadType: type, sequenceNumber: SequenceNumber(number),
        timestamp: RTPTimestamp(UInt32(number &+ 3) / 2 * 3000), ssrc: ssrc)
    return [UInt8](capacity: 128) { RTPPacket(header: header, payload: payload.span).write(into: &$0) }
}

private func red(_ packet: [UInt8]) -> [UInt8] {
    made { output throws(RTPError) in
        try REDPacket.write(wrapping: packet.span, payloadType: Stream.red, into: &output)
    }
}

private func rtx(_ packet: [UInt8]) -> [UInt8] {
    made { output throws(RTPError) in
        try RetransmittedPacket.write(
            packet.span, payloadType: Stream.rtx, sequenceNumber: SequenceNumber(7), ssrc: Stream.rtxSSRC, into: &output
        )
    }
}

private func made(_ write: (inout OutputSpan<UInt8>) throws(RTPError) -> Void) -> [UInt8] {
    [UInt8](capacity: 192) { output in
        do throws(RTPError) { try write(&output) } catch { preconditionFailure("\(error)") }
    }
}
