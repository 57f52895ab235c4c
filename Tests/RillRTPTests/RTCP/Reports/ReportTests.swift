import RillCore
import RillPacketSupport
import RillRTP
import RillTestSupport
import Testing

@Suite struct ReportTests {
    @Test func `A sender report has the values of its bytes`() throws {
        try parsed(RTCPSamples.senderReport) { packet in
            let report = try SenderReport(parsing: packet)
            #expect(report.ssrc == SSRC(0xCAFE))
            #expect(report.ntpTimestamp == NTPTimestamp(seconds: 0xB44D_B705, fraction: 0x2000_0000))
            #expect(report.rtpTimestamp == RTPTimestamp(0x1234_5678))
            #expect(report.packetCount == 1000 && report.octetCount == 1_000_000)
            let blocks = report.blocks.array
            #expect(
                blocks == [
                    ReportBlock(
                        ssrc: SSRC(0xBEEF), fractionLost: 64, cumulativeLost: -2,
                        extendedHighestSequenceNumber: 131_071, jitter: 42)
                ])
            #expect(written(report.byteCount) { output in report.write(into: &output) } == RTCPSamples.senderReport)
        }
    }

    @Test func `A receiver report has the values of its bytes`() throws {
        try parsed(RTCPSamples.receiverReport) { packet in
            let report = try ReceiverReport(parsing: packet)
            #expect(report.ssrc == SSRC(0xBEEF))
            let blocks = report.blocks.array
            #expect(blocks.count == 2)
            #expect(blocks[0].cumulativeLost == 7 && blocks[0].fractionLost == 0)
            #expect(blocks[0].lastSenderReport == NTPShort(rawValue: 0xB705_2000))
            #expect(blocks[0].delaySinceLastSenderReport == NTPShort(nanoseconds: 5_250_000_000))
            #expect(blocks[1].fractionLost == 255 && blocks[1].cumulativeLost == 0x7F_FFFF)
            #expect(written(report.byteCount) { output in report.write(into: &output) } == RTCPSamples.receiverReport)
        }
    }

    @Test(arguments: [0, 1, 2, 30, 31], [0, 4, 40])
    func `Reports of any number of blocks and any extension come back`(count: Int, extensionByteCount: Int) throws {
        var random = SeededGenerator(seed: 11)
        let blocks = (0..<count).map { _ in randomBlock(&random) }
        let words = random.bytes(extensionByteCount)
        let time = NTPTimestamp(rawValue: random.next())
        let sender = SenderReport(
            ssrc: SSRC(1), ntpTimestamp: time, rtpTimestamp: RTPTimestamp(2), packetCount: .max, octetCount: 0,
            blocks: WireList(blocks.span), profileExtension: words.span)
        let senderBytes = written(sender.byteCount) { output in sender.write(into: &output) }
        #expect(senderBytes.count == 28 + 24 * count + extensionByteCount)
        try parsed(senderBytes) { packet in
            let back = try SenderReport(parsing: packet)
            let (backBlocks, backWords) = (back.blocks.array, back.profileExtension.array)
            #expect(back.ssrc == SSRC(1) && back.ntpTimestamp == time && back.rtpTimestamp == RTPTimestamp(2))
            #expect(back.packetCount == .max && back.octetCount == 0)
            #expect(backBlocks == blocks && backWords == words)
        }
        let receiver = ReceiverReport(
            ssrc: SSRC(1), blocks: WireList(blocks.span), profileExtension: words.span)
        let receiverBytes = written(receiver.byteCount) { output in receiver.write(into: &output) }
        #expect(receiverBytes.count == 8 + 24 * count + extensionByteCount)
        try parsed(receiverBytes) { packet in
            let back = try ReceiverReport(parsing: packet)
            let (backBlocks, backWords) = (back.blocks.array, back.profileExtension.array)
            #expect(back.ssrc == SSRC(1) && backBlocks == blocks && backWords == words)
        }
    }

    @Test(arguments: [(8_388_607, 8_388_607), (8_388_608, 8_388_607), (-8_388_608, -8_388_608), (.min, -8_388_608)])
    func `A loss beyond 24 bits is written as the nearest that fits`(lost: Int, onTheWire: Int) throws {
        let blocks = [ReportBlock(ssrc: SSRC(1), cumulativeLost: lost, extendedHighestSequenceNumber: 0)]
        let report = ReceiverReport(ssrc: SSRC(2), blocks: WireList(blocks.span))
        let bytes = written(report.byteCount) { output in report.write(into: &output) }
        let back = try parsed(bytes) { packet in try ReceiverReport(parsing: packet).blocks.array }
        #expect(back[0].cumulativeLost == onTheWire)
        #expect(back[0].fractionLost == 0)
    }

    @Test func `A packet of another type is not read as a report`() {
        #expect(throws: RTPError.unexpectedPacketType(200)) {
            try parsed(RTCPSamples.senderReport) { packet in _ = try ReceiverReport(parsing: packet) }
        }
        #expect(throws: RTPError.unexpectedPacketType(206)) {
            try parsed(RTCPSamples.fullIntraRequest) { packet in try PictureLossIndication(parsing: packet) }
        }
    }

    @Test func `A count beyond the packet throws`() {
        #expect(throws: RTPError.invalidCount(count: 2, byteCount: 24)) {
            try parsed([0x82, 201, 0, 7] + [UInt8](repeating: 0, count: 28)) { packet in
                _ = try ReceiverReport(parsing: packet)
            }
        }
    }

    // MARK: Round-trip time

    @Test func `The round-trip time of RFC 3550 figure 2 is 6.125 s`() {
        // SR at b44db705:20000000; LSR 0xb705:2000 (46853.125 s), DLSR 0x0005.4000 (5.250 s), back at
        // 0xb710:8000 (46864.500 s): 46864.500 - 5.250 - 46853.125 = 6.125 = 0x0006:2000.
        let block = ReportBlock(
            ssrc: SSRC(1), extendedHighestSequenceNumber: 0, lastSenderReport: NTPShort(rawValue: 0xB705_2000),
            delaySinceLastSenderReport: NTPShort(rawValue: 0x0005_4000))
        let arrival = NTPTimestamp(seconds: 0xB44D_B710, fraction: 0x8000_0000)
        #expect(block.roundTripTime(at: arrival) == NTPShort(rawValue: 0x0006_2000))
        #expect(block.roundTripTime(at: arrival)?.nanoseconds == 6_125_000_000)
    }

    @Test func `The round-trip time survives the wrap of the short form and of the era`() {
        for seconds in [0x1234_FFFF, 0xFFFF_FFFF] as [UInt32] {
            let sent = NTPTimestamp(seconds: seconds, fraction: 0xC000_0000)
            let block = ReportBlock(
                ssrc: SSRC(1), extendedHighestSequenceNumber: 0, lastSenderReport: sent.short,
                delaySinceLastSenderReport: NTPShort(nanoseconds: 2_000_000_000))
            let arrival = sent.advanced(byNanoseconds: 2_250_000_000)
            #expect(block.roundTripTime(at: arrival)?.nanoseconds == 250_000_000)
        }
    }

    @Test func `Without a sender report there is no round-trip time, and never a negative one`() {
        let arrival = NTPTimestamp(seconds: 1000, fraction: 0)
        var block = ReportBlock(ssrc: SSRC(1), extendedHighestSequenceNumber: 0)
        #expect(block.roundTripTime(at: arrival) == nil)
        block.lastSenderReport = arrival.short
        #expect(block.roundTripTime(at: arrival) == .zero)
        block.delaySinceLastSenderReport = NTPShort(rawValue: 1)
        #expect(block.roundTripTime(at: arrival) == .zero)
    }

    private func randomBlock(_ random: inout SeededGenerator) -> ReportBlock {
        ReportBlock(
            ssrc: SSRC(.random(in: .min ... .max, using: &random)),
            fractionLost: .random(in: .min ... .max, using: &random),
            cumulativeLost: .random(in: -0x80_0000...0x7F_FFFF, using: &random),
            extendedHighestSequenceNumber: .random(in: .min ... .max, using: &random),
            jitter: .random(in: .min ... .max, using: &random),
            lastSenderReport: NTPShort(rawValue: .random(in: 1 ... .max, using: &random)),
            delaySinceLastSenderReport: NTPShort(rawValue: .random(in: .min ... .max, using: &random)))
    }
}

/// The result of `read` for the first packet of `bytes`.
func parsed<Value>(_ bytes: [UInt8], _ read: (RTCPPacket) throws -> Value) throws -> Value {
    var compound = RTCPCompound(bytes.span)
    guard let packet = try compound.next() else { throw RTPError.truncated(needed: 4, available: 0) }
    return try read(packet)
}

/// The result of `write` with room for exactly `byteCount` bytes.
func written(_ byteCount: Int, _ write: (inout OutputSpan<UInt8>) -> Void) -> [UInt8] {
    [UInt8](capacity: byteCount) { output in write(&output) }
}
