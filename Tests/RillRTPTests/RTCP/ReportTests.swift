import RillCore
import RillRTP
import Testing

@Suite struct ReportTests {
    @Test func `A sender report says what its bytes say`() throws {
        let report = try parsed(RTCPSamples.senderReport) { packet in try SenderReport.parse(packet) }
        #expect(report.ssrc == SSRC(0xCAFE))
        #expect(report.ntpTimestamp == NTPTimestamp(seconds: 0xB44D_B705, fraction: 0x2000_0000))
        #expect(report.rtpTimestamp == RTPTimestamp(0x1234_5678))
        #expect(report.packetCount == 1000 && report.octetCount == 1_000_000)
        #expect(report.blocks.count == 1)
        #expect(
            report.blocks[SSRC(0xBEEF)]
                == ReportBlock(
                    ssrc: SSRC(0xBEEF), fractionLost: 64, cumulativeLost: -2, extendedHighestSequenceNumber: 131_071,
                    jitter: 42))
        #expect(report.blocks[SSRC(1)] == nil)
        #expect(written(report.byteCount) { output in report.write(into: &output) } == RTCPSamples.senderReport)
    }

    @Test func `A receiver report says what its bytes say`() throws {
        let report = try parsed(RTCPSamples.receiverReport) { packet in try ReceiverReport.parse(packet) }
        #expect(report.ssrc == SSRC(0xBEEF))
        #expect(report.blocks.count == 2)
        #expect(report.blocks[0].cumulativeLost == 7 && report.blocks[0].fractionLost == 0)
        #expect(report.blocks[0].lastSenderReport == NTPShort(rawValue: 0xB705_2000))
        #expect(report.blocks[0].delaySinceLastSenderReport == NTPShort(nanoseconds: 5_250_000_000))
        #expect(report.blocks[1].fractionLost == 255 && report.blocks[1].cumulativeLost == 0x7F_FFFF)
        #expect(written(report.byteCount) { output in report.write(into: &output) } == RTCPSamples.receiverReport)
    }

    @Test(arguments: [0, 1, 2, 30, 31])
    func `Reports of any number of blocks come back`(count: Int) throws {
        var random = SeededGenerator(seed: 11)
        var blocks = ReportBlocks()
        for _ in 0..<count { blocks.append(randomBlock(&random)) }
        let sender = SenderReport(
            ssrc: SSRC(1), ntpTimestamp: NTPTimestamp(rawValue: random.next()), rtpTimestamp: RTPTimestamp(2),
            packetCount: .max, octetCount: 0, blocks: blocks)
        let senderBytes = written(sender.byteCount) { output in sender.write(into: &output) }
        #expect(senderBytes.count == 28 + 24 * count)
        #expect(try parsed(senderBytes) { packet in try SenderReport.parse(packet) } == sender)
        let receiver = ReceiverReport(ssrc: SSRC(1), blocks: blocks)
        let receiverBytes = written(receiver.byteCount) { output in receiver.write(into: &output) }
        #expect(receiverBytes.count == 8 + 24 * count)
        #expect(try parsed(receiverBytes) { packet in try ReceiverReport.parse(packet) } == receiver)
    }

    @Test(arguments: [(8_388_607, 8_388_607), (8_388_608, 8_388_607), (-8_388_608, -8_388_608), (.min, -8_388_608)])
    func `A loss beyond 24 bits is written as the nearest that fits`(lost: Int, onTheWire: Int) throws {
        let block = ReportBlock(ssrc: SSRC(1), cumulativeLost: lost, extendedHighestSequenceNumber: 0)
        let report = ReceiverReport(ssrc: SSRC(2), blocks: ReportBlocks(block))
        let bytes = written(report.byteCount) { output in report.write(into: &output) }
        let back = try parsed(bytes) { packet in try ReceiverReport.parse(packet) }
        #expect(back.blocks[0].cumulativeLost == onTheWire)
        #expect(back.blocks[0].fractionLost == 0)
    }

    @Test func `Profile-specific extensions are passed over`() throws {
        var bytes = RTCPSamples.senderReport + [1, 2, 3, 4]
        bytes[3] += 1
        let report = try parsed(bytes) { packet in try SenderReport.parse(packet) }
        #expect(report.blocks.count == 1)
    }

    @Test func `A packet of another type is not read as a report`() {
        #expect(throws: RTPError.unexpectedPacketType(200)) {
            try parsed(RTCPSamples.senderReport) { packet in try ReceiverReport.parse(packet) }
        }
        #expect(throws: RTPError.unexpectedPacketType(206)) {
            try parsed(RTCPSamples.fullIntraRequest) { packet in try PictureLossIndication.parse(packet) }
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

/// What `read` makes of the first packet of `bytes`.
func parsed<Value>(_ bytes: [UInt8], _ read: (RTCPPacket) throws -> Value) throws -> Value {
    var compound = RTCPCompound(bytes.span)
    guard let packet = try compound.next() else { throw RTPError.truncated(needed: 4, available: 0) }
    return try read(packet)
}

/// What `write` makes of room for exactly `byteCount` bytes.
func written(_ byteCount: Int, _ write: (inout OutputSpan<UInt8>) -> Void) -> [UInt8] {
    [UInt8](capacity: byteCount) { output in write(&output) }
}
