import RillRTP

/// RTX, RED and ULPFEC, from a list of packets: each with its length before it, in two bytes.
///
/// The first is taken for a repair of every kind, and the rest for what it protects. Then the rest, as far as they are
/// RTP packets, are protected by us, and one of them is computed again.
func fuzzRepair(_ bytes: Span<UInt8>) {
    let packets = packets(in: bytes)
    guard let first = packets.first else { return }
    takeApart(red: first)
    takeApart(retransmission: first)
    recover(from: first, with: packets.dropFirst())
    protect(Array(packets.dropFirst()))
}

/// At most 48 packets of at most 1500 bytes.
private func packets(in bytes: Span<UInt8>) -> [[UInt8]] {
    var packets: [[UInt8]] = []
    var position = 0
    while position + 2 <= bytes.count, packets.count < 48 {
        let length = min(Int(bytes[position]) << 8 | Int(bytes[position + 1]), 1500, bytes.count - position - 2)
        packets.append((0..<length).map { bytes[position + 2 + $0] })
        position += 2 + length
    }
    return packets
}

private func takeApart(red bytes: [UInt8]) {
    if var payload = try? REDPayload(parsing: bytes.span) {
        var (count, primaries) = (0, 0)
        while let block = payload.next() {
            count += block.data.count
            primaries += block.timestampOffset == nil ? 1 : 0
        }
        precondition(count < bytes.count && primaries == 1)
    }
    let inner = [UInt8](capacity: bytes.count) { output in
        // What cannot be read appends nothing.
        do { try REDPacket.writePrimary(of: bytes.span, into: &output) } catch { precondition(output.isEmpty) }
    }
    guard !inner.isEmpty else { return }
    let wrapped = [UInt8](capacity: inner.count + 1) { output in
        do {
            try REDPacket.write(wrapping: inner.span, payloadType: PayloadType(100), into: &output)
        } catch { preconditionFailure("what came out of RED is no packet: \(error)") }
    }
    let again = [UInt8](capacity: wrapped.count) { output in
        do { try REDPacket.writePrimary(of: wrapped.span, into: &output) } catch { preconditionFailure("\(error)") }
    }
    precondition(again == inner)
}

private func takeApart(retransmission bytes: [UInt8]) {
    guard let packet = try? RetransmittedPacket(parsing: bytes.span) else { return }
    let original = [UInt8](capacity: packet.originalByteCount) { output in
        packet.writeOriginal(payloadType: PayloadType(96), ssrc: SSRC(7), into: &output)
    }
    precondition(original.count == packet.originalByteCount)
    let again = [UInt8](capacity: original.count + RetransmittedPacket.headerByteCount) { output in
        do {
            try RetransmittedPacket.write(
                original.span, payloadType: PayloadType(97), sequenceNumber: SequenceNumber(1), ssrc: SSRC(8),
                into: &output)
        } catch { preconditionFailure("what came out of RTX is no packet: \(error)") }
    }
    guard let parsed = try? RetransmittedPacket(parsing: again.span) else { preconditionFailure("not a packet") }
    precondition(parsed.originalSequenceNumber == packet.originalSequenceNumber && parsed.ssrc == SSRC(8))
}

/// Whatever an FEC packet claims, a recovery ends in bytes or in an error.
private func recover(from bytes: [UInt8], with packets: ArraySlice<[UInt8]>) {
    guard let fec = try? ULPFECPayload(parsing: bytes.span) else { return }
    var numbers: [SequenceNumber] = []
    fec.forEachProtected { numbers.append($0) }
    precondition(numbers.count == fec.protectedCount)
    for number in numbers.prefix(3) {
        var buffer = [UInt8](repeating: 0xAA, count: 2048)
        var span = buffer.mutableSpan
        var recovery = ULPFECRecovery(of: number, ssrc: SSRC(7))
        do throws(RTPError) {
            for level in 0...1 {
                try recovery.begin(fec, level: level, in: &span)
                for packet in packets where packet.count > 3 && !isOf(number, packet) {
                    try recovery.add(packet.span, in: &span)
                }
            }
            let count = try recovery.finish(in: &span)
            precondition(count >= RTPHeader.fixedByteCount && count <= 2048)
        } catch {}  // a typed error is as good an answer
    }
}

private func isOf(_ number: SequenceNumber, _ packet: [UInt8]) -> Bool {
    number.rawValue == UInt16(packet[2]) << 8 | UInt16(packet[3])
}

/// Packets that we protect come back byte for byte.
private func protect(_ packets: [[UInt8]]) {
    var chosen: [[UInt8]] = []
    for packet in packets where packet.count >= RTPHeader.fixedByteCount && packet[0] >> 6 == 2 {
        // Renumbered: an FEC packet protects each number once.
        var packet = packet
        (packet[2], packet[3]) = (0xFF, UInt8(0xE0 + chosen.count))
        chosen.append(packet)
        if chosen.count == 20 { break }
    }
    guard let lost = chosen.first else { return }
    let ssrc = SSRC(lost[8..<12].reduce(0) { $0 << 8 | UInt32($1) })
    var buffer = [UInt8](repeating: 0, count: 1600)
    var fecPacket = ULPFECBuilder(base: SequenceNumber(0xFFE0))
    for packet in chosen {
        var span = buffer.mutableSpan
        fecPacket.add(packet.span, in: &span)
    }
    let bytes = buffer
    let payload = [UInt8](capacity: fecPacket.byteCount) { output in fecPacket.write(bytes.span, into: &output) }
    guard let fec = try? ULPFECPayload(parsing: payload.span) else {
        preconditionFailure("it cannot read its FEC packet")
    }
    var recovery = ULPFECRecovery(of: SequenceNumber(0xFFE0), ssrc: ssrc)
    var span = buffer.mutableSpan
    do throws(RTPError) {
        try recovery.begin(fec, in: &span)
        for packet in chosen.dropFirst() { try recovery.add(packet.span, in: &span) }
        let count = try recovery.finish(in: &span)
        precondition(count == lost.count)
    } catch { preconditionFailure("not recovered: \(error)") }
    for index in lost.indices { precondition(buffer[index] == lost[index]) }
}

func repairSeeds() -> [FuzzTarget.Seed] {
    let packets = (0..<3).map { index in
        let header = RTPHeader(
            marker: index == 2, payloadType: PayloadType(96),
            sequenceNumber: SequenceNumber(UInt16(truncatingIfNeeded: 65534 + index)),
            timestamp: RTPTimestamp(0x89AB_CDEF), ssrc: SSRC(0xCAFE))
        let payload = [UInt8](repeating: UInt8(0x10 + index), count: 20 + 5 * index)
        return [UInt8](capacity: 64) { RTPPacket(header: header, payload: payload.span).write(into: &$0) }
    }
    func seed(_ name: String, _ repair: [UInt8]) -> FuzzTarget.Seed {
        FuzzTarget.Seed(
            name, bytes: ([repair] + packets).flatMap { [UInt8($0.count >> 8), UInt8($0.count & 0xFF)] + $0 })
    }
    func fecPacket(level1: Bool) -> [UInt8] {
        var buffer = [UInt8](repeating: 0, count: 128)
        var fecPacket = ULPFECBuilder(base: SequenceNumber(65534), level0Limit: level1 ? 10 : 1500)
        for packet in packets {
            var span = buffer.mutableSpan
            fecPacket.add(packet.span, levels: level1 ? [.zero, .one] : .zero, in: &span)
        }
        let bytes = buffer
        return [UInt8](capacity: fecPacket.byteCount) { output in fecPacket.write(bytes.span, into: &output) }
    }
    func made(_ write: (inout OutputSpan<UInt8>) throws(RTPError) -> Void) -> [UInt8] {
        [UInt8](capacity: 128) { output in
            do throws(RTPError) { try write(&output) } catch { preconditionFailure("\(error)") }
        }
    }
    let packet = packets[0]
    return [
        seed("parity", fecPacket(level1: false)), seed("parity-of-two-levels", fecPacket(level1: true)),
        seed(
            "red",
            made { output throws(RTPError) in
                try REDPacket.write(wrapping: packet.span, payloadType: PayloadType(100), into: &output)
            }),
        seed(
            "red-blocks",
            [UInt8](capacity: 16) { output in
                REDPayload.writeRedundantHeader(
                    payloadType: PayloadType(96), timestampOffset: 3000, byteCount: 3, into: &output)
                REDPayload.writePrimaryHeader(payloadType: PayloadType(96), into: &output)
                for byte in 0..<8 as Range<UInt8> { output.append(byte) }
            }),
        seed(
            "retransmission",
            made { output throws(RTPError) in
                try RetransmittedPacket.write(
                    packet.span, payloadType: PayloadType(97), sequenceNumber: SequenceNumber(9), ssrc: SSRC(8),
                    into: &output)
            }),
    ]
}
