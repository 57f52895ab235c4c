import RillCore
import RillPacketSupport
import RillRTP
import Testing

@Suite struct ExtendedReportTests {
    @Test func `Blocks come one after the other, unknown ones too`() throws {
        try parsed(RTCPSamples.extendedReport) { packet in
            var report = try ExtendedReport(parsing: packet)
            #expect(report.ssrc == SSRC(0xBEEF))
            var seen = 0
            while let block = try report.next() {
                seen += 1
                switch block {
                case .receiverReferenceTime(let time):
                    #expect(time == NTPTimestamp(seconds: 0xB44D_B705, fraction: 0x2000_0000) && seen == 1)
                case .delaySinceLastReceiverReport(let list):
                    let delays = list.array
                    #expect(
                        delays == [
                            ReceiverDelay(
                                ssrc: SSRC(0xCAFE), lastReceiverReport: NTPShort(rawValue: 0xB705_2000),
                                delaySinceLastReceiverReport: NTPShort(rawValue: 0x5_4000)),
                            ReceiverDelay(ssrc: SSRC(0xF00D), lastReceiverReport: nil),
                        ])
                    #expect(seen == 2)
                case .unknown(let block):
                    let contents = block.contents.array
                    #expect(block.type == 99 && block.typeSpecific == 0xE0 && contents == [9, 8, 7, 6] && seen == 3)
                }
            }
            #expect(seen == 3)
        }
    }

    @Test(arguments: [0, 1, 2, 300])
    func `Any number of echoes round-trips`(count: Int) throws {
        var random = SeededGenerator(seed: 53)
        let delays = (0..<count).map { _ in
            ReceiverDelay(
                ssrc: SSRC(UInt32(truncatingIfNeeded: random.next())),
                lastReceiverReport: Bool.random(using: &random)
                    ? nil : NTPShort(rawValue: .random(in: 1 ... .max, using: &random)),
                delaySinceLastReceiverReport: NTPShort(rawValue: UInt32(truncatingIfNeeded: random.next())))
        }
        let bytes = written(ExtendedReportWriter.headerByteCount + 4 + 12 * count) { output in
            let writer = ExtendedReportWriter(ssrc: SSRC(1), into: &output)
            writer.append(.delaySinceLastReceiverReport(WireList(delays.span)), into: &output)
            writer.finish(into: &output)
        }
        #expect(bytes.count == 12 + 12 * count)
        try parsed(bytes) { packet in
            var report = try ExtendedReport(parsing: packet)
            guard case .delaySinceLastReceiverReport(let list)? = try report.next() else {
                Issue.record("another block")
                return
            }
            let back = list.array
            #expect(back == delays)
        }
    }

    @Test(
        arguments: [
            ([4, 0, 0, 1, 1, 2, 3, 4], .truncated(needed: 8, available: 4)),
            ([4, 0, 0, 3, 1, 2, 3, 4, 5, 6, 7, 8], .truncated(needed: 16, available: 12)),
            ([99, 0, 0xFF, 0xFF], .truncated(needed: 262_144, available: 4)),
        ] as [([UInt8], RTPError)])
    func `Blocks cut short throw and end the report`(block: [UInt8], expected: RTPError) throws {
        let bytes: [UInt8] = [0x80, 207, 0, UInt8(1 + block.count / 4), 0, 0, 0, 1] + block
        try parsed(bytes) { packet in
            var report = try ExtendedReport(parsing: packet)
            var thrown: RTPError?
            do throws(RTPError) { _ = try report.next() } catch { thrown = error }
            #expect(thrown == expected)
        }
    }

    @Test func `A short block does not hide the following ones`() throws {
        let bytes: [UInt8] = [0x80, 207, 0, 4, 0, 0, 0, 1, 4, 0, 0, 1, 1, 2, 3, 4, 9, 0, 0, 0]
        try parsed(bytes) { packet in
            var report = try ExtendedReport(parsing: packet)
            var thrown: RTPError?
            do throws(RTPError) { _ = try report.next() } catch { thrown = error }
            #expect(thrown == .truncated(needed: 8, available: 4))
            guard case .unknown(let block)? = try report.next() else {
                Issue.record("no block behind the short one")
                return
            }
            #expect(block.type == 9)
        }
    }

    @Test func `The round-trip time of an echo is reckoned like that of a report`() {
        // The figures of RFC 3550 figure 2.
        let delay = ReceiverDelay(
            ssrc: SSRC(1), lastReceiverReport: NTPShort(rawValue: 0xB705_2000),
            delaySinceLastReceiverReport: NTPShort(rawValue: 0x5_4000))
        let arrival = NTPTimestamp(seconds: 0xB44D_B710, fraction: 0x8000_0000)
        #expect(delay.roundTripTime(at: arrival)?.nanoseconds == 6_125_000_000)
        #expect(ReceiverDelay(ssrc: SSRC(1), lastReceiverReport: nil).roundTripTime(at: arrival) == nil)
    }
}
