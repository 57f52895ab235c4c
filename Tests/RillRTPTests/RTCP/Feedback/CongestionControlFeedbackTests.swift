import RillCore
import RillPacketSupport
import RillRTP
import Testing

@Suite struct CongestionControlFeedbackTests {
    private typealias Status = CongestionControlFeedback.PacketStatus
    private typealias Offset = CongestionControlFeedback.ArrivalTimeOffset
    private typealias Mark = CongestionControlFeedback.ECNMark

    /// A report in memory.
    private struct Report: Equatable {
        var ssrc: SSRC
        var begin: SequenceNumber
        var packets: [Status]
    }

    private func reports(_ feedback: borrowing CongestionControlFeedback) -> [Report] {
        var found: [Report] = []
        var reports = feedback.reports
        while let report = reports.next() {
            found.append(
                Report(ssrc: report.ssrc, begin: report.beginSequenceNumber, packets: report.packets.array))
        }
        return found
    }

    private func bytes(of reports: [Report], at timestamp: NTPShort = .zero) -> [UInt8] {
        let byteCount = reports.reduce(CongestionControlFeedbackWriter.headerByteCount) {
            $0 + CongestionControlFeedbackWriter.reportByteCount(of: $1.packets.count)
        }
        return written(byteCount) { output in
            var writer = CongestionControlFeedbackWriter(sender: SSRC(1), into: &output)
            for report in reports {
                writer.beginReport(on: report.ssrc, from: report.begin, into: &output)
                for status in report.packets { writer.append(status, into: &output) }
            }
            writer.finish(at: timestamp, into: &output)
        }
    }

    @Test func `A feedback packet has the values of its bytes`() throws {
        try parsed(RTCPSamples.congestionControlFeedback) { packet in
            let feedback = try CongestionControlFeedback(parsing: packet)
            #expect(feedback.sender == SSRC(0xBEEF) && feedback.timestamp == NTPShort(rawValue: 0xB705_2000))
            #expect(feedback.byteCount == RTCPSamples.congestionControlFeedback.count)
            let found = reports(feedback)
            try #require(found.count == 2)
            #expect(found[0].ssrc == SSRC(0xCAFE) && found[0].begin == SequenceNumber(65535))
            #expect(
                found[0].packets == [
                    .received(Offset(nanoseconds: 500_000_000), .congestionExperienced), .notReceived,
                    .received(.overRange, .capable1),
                ])
            #expect(found[1].ssrc == SSRC(0xF00D) && found[1].begin == SequenceNumber(7))
            #expect(found[1].packets == [.received(.unavailable, .notCapable)])
            let copy = written(feedback.byteCount) { output in feedback.write(into: &output) }
            #expect(copy == RTCPSamples.congestionControlFeedback)
        }
    }

    @Test func `Numbers wrap within a report`() throws {
        for start in interestingStarts {
            let report = Report(
                ssrc: SSRC(2), begin: SequenceNumber(start), packets: [Status](repeating: .notReceived, count: 5))
            try parsed(bytes(of: [report])) { packet in
                var reports = try CongestionControlFeedback(parsing: packet).reports
                guard let report = reports.next() else { throw RTPError.truncated(needed: 1, available: 0) }
                #expect(report.packets.indices.map { report.number(at: $0).rawValue } == (0..<5).map { start &+ $0 })
            }
        }
    }

    @Test func `Any reports come back`() throws {
        var random = SeededGenerator(seed: 88)
        for turn in 0..<2000 {
            let reports = (0..<Int.random(in: 0...5, using: &random)).map { _ in randomReport(&random) }
            let timestamp = NTPShort(rawValue: .random(in: .min ... .max, using: &random))
            let bytes = bytes(of: reports, at: timestamp)
            try parsed(bytes) { packet in
                let feedback = try CongestionControlFeedback(parsing: packet)
                #expect(self.reports(feedback) == reports && feedback.timestamp == timestamp, "turn \(turn)")
                #expect(feedback.byteCount == bytes.count, "turn \(turn)")
                #expect(written(bytes.count) { feedback.write(into: &$0) } == bytes, "turn \(turn)")
            }
        }
    }

    @Test func `The maximum number of packets round-trips, and one more throws`() throws {
        let packets = (0..<16384).map { index in
            index % 3 == 0 ? Status.notReceived : .received(Offset(nanoseconds: Int64(index) * 1_000_000), .capable0)
        }
        let report = Report(ssrc: SSRC(2), begin: SequenceNumber(60_000), packets: packets)
        var bytes = bytes(of: [report])
        try parsed(bytes) { packet in
            let feedback = try CongestionControlFeedback(parsing: packet)
            #expect(reports(feedback) == [report])
        }
        bytes[15] = 1  // 16385 of them
        #expect(throws: RTPError.invalidCount(count: 16385, byteCount: 32768)) {
            try parsed(bytes) { packet in _ = try CongestionControlFeedback(parsing: packet) }
        }
    }

    @Test func `Every truncation throws`() throws {
        let sample = RTCPSamples.congestionControlFeedback
        // The body by words: a whole number of reports and a timestamp are left after 8, 24 and 36 bytes.
        for byteCount in stride(from: 4, to: sample.count, by: 4) where ![12, 28].contains(byteCount) {
            var bytes = Array(sample[..<byteCount])
            bytes[3] = UInt8(byteCount / 4 - 1)
            do {
                try parsed(bytes) { packet in _ = try CongestionControlFeedback(parsing: packet) }
                Issue.record("\(byteCount) bytes were read")
            } catch RTPError.truncated(let needed, let available) {
                #expect(needed > available, "\(byteCount) bytes")
            }
        }
    }

    @Test func `A report that is longer than the packet throws`() {
        #expect(throws: RTPError.truncated(needed: 16, available: 12)) {
            // Two packets, of which there is no room for any; the timestamp is not theirs.
            try parsed([0x8B, 205, 0, 4, 0, 0, 0, 1, 0, 0, 0, 2, 0, 9, 0, 2, 0x80, 0, 0x80, 0]) { packet in
                _ = try CongestionControlFeedback(parsing: packet)
            }
        }
        #expect(throws: RTPError.unexpectedPacketType(205)) {
            try parsed(RTCPSamples.transportFeedback) { packet in
                _ = try CongestionControlFeedback(parsing: packet)
            }
        }
    }

    @Test func `Bits of a packet that was not received, and padding, are ignored`() throws {
        let bytes: [UInt8] = [
            0x8B, 205, 0, 5, 0, 0, 0, 1, 0, 0, 0, 2, 0, 9, 0, 1, 0x7F, 0xFF, 0xFF, 0xFF, 0, 0, 0, 3,
        ]
        try parsed(bytes) { packet in
            let feedback = try CongestionControlFeedback(parsing: packet)
            #expect(reports(feedback) == [Report(ssrc: SSRC(2), begin: SequenceNumber(9), packets: [.notReceived])])
            let copy = written(feedback.byteCount) { output in feedback.write(into: &output) }
            #expect(copy[16...].elementsEqual([0, 0, 0, 0, 0, 0, 0, 3]))
        }
    }

    @Test func `An offset is rounded to the nearest step, and out of range where it does not fit`() {
        #expect(Offset(nanoseconds: 0).steps == 0 && Offset(nanoseconds: 488_281).steps == 0)
        #expect(Offset(nanoseconds: 488_282).steps == 1 && Offset(nanoseconds: 500_000_000).steps == 512)
        // 8189/1024 s is the last that fits.
        #expect(Offset(nanoseconds: 7_997_070_312).steps == 8189)
        #expect(Offset(nanoseconds: 7_998_000_000) == .overRange && Offset(nanoseconds: .max) == .overRange)
        #expect(Offset(nanoseconds: -1) == .unavailable && Offset(nanoseconds: .min) == .unavailable)
        #expect(Offset.overRange.steps == nil && Offset.unavailable.steps == nil)
        #expect(Offset.overRange.rawValue == 0x1FFE && Offset.unavailable.rawValue == 0x1FFF)
    }

    private func randomReport(_ random: inout SeededGenerator) -> Report {
        let packets = (0..<Int.random(in: 0...40, using: &random)).map { _ -> Status in
            let mark = Mark.allCases.randomElement(using: &random) ?? .notCapable
            return switch Int.random(in: 0...5, using: &random) {
            case 0: .notReceived
            case 1: .received(.overRange, mark)
            case 2: .received(.unavailable, mark)
            default: .received(Offset(nanoseconds: .random(in: 0...8_000_000_000, using: &random)), mark)
            }
        }
        return Report(
            ssrc: SSRC(.random(in: .min ... .max, using: &random)),
            begin: SequenceNumber(.random(in: .min ... .max, using: &random)), packets: packets)
    }
}
