import RillCore
import RillRTP
import RillTestSupport
import Testing

@Suite struct ULPFECTests {
    /// The packets A to D of RFC 5109 §10: payload type, number, timestamp and length are the RFC's; the payloads are
    /// noise.
    private static let example: [[UInt8]] = {
        var random = SeededGenerator(seed: 10)
        let fields: [(type: UInt8, marker: Bool, number: UInt16, timestamp: UInt32, count: Int)] = [
            (11, true, 8, 3, 200), (18, false, 9, 5, 140), (11, true, 10, 7, 100), (18, false, 11, 9, 340),
        ]
        return fields.map { fields in
            rtpPacket(
                fields.number, timestamp: fields.timestamp, type: fields.type, marker: fields.marker,
                payload: random.bytes(fields.count))
        }
    }()

    private func fecPacket(
        _ packets: [[UInt8]], base: UInt16, levels: [ULPFECBuilder.Levels]? = nil, limits: (Int, Int)? = nil
    ) -> [UInt8] {
        var fecPacket = ULPFECBuilder(
            base: SequenceNumber(base), level0Limit: limits?.0 ?? 65535, level1Limit: limits?.1 ?? 65535)
        // Not zero on purpose: an FEC packet reads nothing that it has not written.
        var buffer = [UInt8](repeating: 0xEE, count: 10_000)
        var memory = buffer.mutableSpan
        for (index, packet) in packets.enumerated() {
            fecPacket.add(packet.span, levels: levels?[index] ?? .zero, in: &memory)
        }
        let bytes = [UInt8](capacity: fecPacket.byteCount) { output in fecPacket.write(memory.span, into: &output) }
        #expect(bytes.count == fecPacket.byteCount)
        return bytes
    }

    private func recovered(_ lost: UInt16, from fec: [UInt8], _ others: [[UInt8]]) throws -> [UInt8] {
        var buffer = [UInt8](repeating: 0xEE, count: 10_000)
        var memory = buffer.mutableSpan
        var recovery = ULPFECRecovery(of: SequenceNumber(lost), ssrc: SSRC(2))
        try recovery.begin(try ULPFECPayload(parsing: fec.span), in: &memory)
        for packet in others { try recovery.add(packet.span, in: &memory) }
        let count = try recovery.finish(in: &memory)
        return memory.span.extracting(first: count).array
    }

    // MARK: The examples of RFC 5109 §10

    @Test func `One level, as in RFC 5109 §10-1, header by header`() throws {
        let packets = ULPFECTests.example
        let fec = fecPacket(packets, base: 8)
        // E L P X CC = 0, M = 1^0^1^0, PT = 11^18^11^18, SN base 8, TS 3^5^7^9 = 8, length 200^140^100^340 = 372;
        // level 0 protects 340 bytes of the first four packets.
        #expect(fec.prefix(14) == [0, 0, 0, 8, 0, 0, 0, 8, 0x01, 0x74, 0x01, 0x54, 0xF0, 0x00])
        #expect(fec.count == 14 + 340)
        for (index, byte) in fec[14...].enumerated() {
            let bytes = packets.map { index + 12 < $0.count ? $0[index + 12] : 0 }
            #expect(byte == bytes.reduce(0, ^), "byte \(index)")
        }
        for (index, packet) in packets.enumerated() {
            var others = packets
            others.remove(at: index)
            #expect(try recovered(UInt16(8 + index), from: fec, others) == packet, "packet \(index)")
        }
    }

    @Test func `Two levels, as in RFC 5109 §10-2, header by header`() throws {
        let packets = ULPFECTests.example
        // The first protects 70 bytes of A and B, the second 70 of C and D, and 90 behind them of all four.
        let first = fecPacket([packets[0], packets[1]], base: 8, limits: (70, 0))
        #expect(first.prefix(14) == [0, 0x99, 0, 8, 0, 0, 0, 6, 0x00, 0x44, 0x00, 0x46, 0xC0, 0x00])
        let second = fecPacket(
            packets, base: 8, levels: [.one, .one, [.zero, .one], [.zero, .one]], limits: (70, 90))
        #expect(second.prefix(14) == [0, 0x99, 0, 8, 0, 0, 0, 14, 0x01, 0x30, 0x00, 0x46, 0x30, 0x00])
        #expect(second[84..<88] == [0x00, 0x5A, 0xF0, 0x00])
        #expect(first.count == 84 && second.count == 84 + 4 + 90)

        // B, of 140 bytes, comes back whole from both; of A, of 200, 160 bytes do, which is not enough.
        for (index, isComplete) in [(1, true), (0, false)] {
            var buffer = [UInt8](repeating: 0xEE, count: 1000)
            var memory = buffer.mutableSpan
            var recovery = ULPFECRecovery(of: SequenceNumber(UInt16(8 + index)), ssrc: SSRC(2))
            try recovery.begin(try ULPFECPayload(parsing: first.span), in: &memory)
            let other = packets[1 - index]
            try recovery.add(other.span, in: &memory)
            try recovery.begin(try ULPFECPayload(parsing: second.span), level: 1, in: &memory)
            for packet in [other, packets[2], packets[3]] { try recovery.add(packet.span, in: &memory) }
            do throws(RTPError) {
                let count = try recovery.finish(in: &memory)
                let bytes = memory.span.extracting(first: count).array
                #expect(isComplete && bytes == packets[index])
            } catch {
                #expect(!isComplete && error == .notRestored(byteCount: 200, restored: 160))
                let bytes = memory.span.extracting(12..<172).array
                #expect(bytes[...] == packets[index][12..<172])
            }
        }
    }

    // MARK: Properties

    @Test func `Any one packet is restored from two levels of any lengths and limits`() throws {
        var random = SeededGenerator(seed: 20)
        for round in 0..<200 {
            var packets: [[UInt8]] = []
            for index in 0..<Int.random(in: 2...20, using: &random) {
                packets.append(
                    rtpPacket(UInt16(index), payload: random.bytes(.random(in: 0...300, using: &random))))
            }
            let limit = Int.random(in: 0...320, using: &random)
            let fec = fecPacket(
                packets, base: 0, levels: packets.map { _ in [.zero, .one] }, limits: (limit, 400))
            let lost = Int.random(in: 0..<packets.count, using: &random)
            var buffer = [UInt8](repeating: 0xEE, count: 1000)
            var memory = buffer.mutableSpan
            var recovery = ULPFECRecovery(of: SequenceNumber(UInt16(lost)), ssrc: SSRC(2))
            for level in 0...1 {
                try recovery.begin(try ULPFECPayload(parsing: fec.span), level: level, in: &memory)
                for (index, packet) in packets.enumerated() where index != lost {
                    try recovery.add(packet.span, in: &memory)
                }
            }
            let count = try recovery.finish(in: &memory)
            let bytes = memory.span.extracting(first: count).array
            #expect(bytes == packets[lost], "round \(round), \(packets.count) packets, limit \(limit)")
        }
    }

    @Test(arguments: interestingStarts)
    func `Any one of up to 48 packets of any kind is restored`(start: UInt16) throws {
        var random = SeededGenerator(seed: UInt64(start))
        for count in [1, 2, 15, 16, 17, 47, 48] {
            var packets: [[UInt8]] = []
            for index in 0..<count {
                let payload = random.bytes(.random(in: 0...600, using: &random))
                packets.append(
                    rtpPacket(
                        start &+ UInt16(index), timestamp: .random(in: 0 ... .max, using: &random),
                        type: .random(in: 0...127, using: &random), marker: .random(using: &random), payload: payload,
                        isElaborate: index % 3 == 0, padding: index % 5 == 0 ? 3 : 0))
            }
            let fec = fecPacket(packets, base: start)
            let view = try ULPFECPayload(parsing: fec.span)
            #expect(view.hasLongMask == (count > 16) && view.protectedCount == count)
            var protected: [SequenceNumber] = []
            view.forEachProtected { protected.append($0) }
            #expect(protected == (0..<count).map { SequenceNumber(start).advanced(by: $0) })
            let longest = packets.map { $0.count }.max() ?? 0
            #expect(fec.count <= longest - 12 + ULPFECPayload.maximumOverhead)
            for lost in 0..<count {
                var others = packets
                others.remove(at: lost)
                others.shuffle(using: &random)
                let packet = try recovered(start &+ UInt16(lost), from: fec, others)
                #expect(packet == packets[lost], "start \(start), \(lost) of \(count)")
            }
        }
    }

    @Test func `Packets that are not protected, and copies, change nothing`() throws {
        let packets = ULPFECTests.example
        let fec = fecPacket([packets[0], packets[2]], base: 8)
        let unknownPeers = [packets[1], packets[2], packets[2], packets[3], rtpPacket(500, payload: [1])]
        #expect(try recovered(8, from: fec, unknownPeers) == packets[0])
    }

    @Test func `Unrecoverable packets report why`() throws {
        let packets = ULPFECTests.example
        let fec = fecPacket(Array(packets[0..<3]), base: 8)
        #expect(throws: RTPError.recoveryIncomplete(missing: 2)) { _ = try recovered(8, from: fec, []) }
        #expect(throws: RTPError.recoveryIncomplete(missing: 1)) { _ = try recovered(8, from: fec, [packets[1]]) }
        #expect(throws: RTPError.notProtected(SequenceNumber(11))) { _ = try recovered(11, from: fec, packets) }
        #expect(throws: RTPError.notProtected(SequenceNumber(7))) { _ = try recovered(7, from: fec, packets) }
        #expect(throws: RTPError.truncated(needed: 12, available: 2)) { _ = try recovered(8, from: fec, [[1, 2]]) }
        let part = fecPacket(Array(packets[0..<2]), base: 8, limits: (70, 0))
        #expect(throws: RTPError.notRestored(byteCount: 200, restored: 70)) {
            _ = try recovered(8, from: part, [packets[1]])
        }
        var small = [UInt8](repeating: 0, count: 100)
        var memory = small.mutableSpan
        var recovery = ULPFECRecovery(of: SequenceNumber(8), ssrc: SSRC(2))
        do throws(RTPError) {
            try recovery.begin(try ULPFECPayload(parsing: fec.span), in: &memory)
            Issue.record("212 bytes fit into 100")
        } catch {
            #expect(error == .bufferTooSmall(needed: 212, available: 100))
        }
    }

    @Test func `A payload cut short throws`() {
        let fec = fecPacket(ULPFECTests.example, base: 8)
        for count in 0..<fec.count {
            #expect(throws: RTPError.self, "\(count)") {
                _ = try ULPFECPayload(parsing: Array(fec.prefix(count)).span)
            }
        }
    }

    @Test func `Any bytes restore a packet within the buffer, or throw a typed error`() throws {
        let packets = ULPFECTests.example
        let two = fecPacket(packets, base: 8, levels: [[.zero, .one], [.zero, .one], .one, .one], limits: (70, 90))
        let far = fecPacket([packets[0], rtpPacket(55, payload: [1, 2, 3])], base: 8)
        let seeds = [fecPacket(packets, base: 8), two, far]
        var (parsed, restored) = (0, 0)
        var buffer = [UInt8](repeating: 0, count: 500)
        for (index, input) in MutatedInputs(of: seeds, count: 100_000, using: SeededGenerator(seed: 5)).enumerated() {
            var memory = buffer.mutableSpan
            var recovery = ULPFECRecovery(of: SequenceNumber(8), ssrc: SSRC(2))
            do throws(RTPError) {
                let fec = try ULPFECPayload(parsing: input.span)
                parsed += 1
                try recovery.begin(fec, in: &memory)
                for packet in packets { try recovery.add(packet.span, in: &memory) }
                if index % 2 == 0, fec.level1 != nil {
                    try recovery.begin(fec, level: 1, in: &memory)
                    for packet in packets { try recovery.add(packet.span, in: &memory) }
                }
                let count = try recovery.finish(in: &memory)
                restored += 1
                #expect((12...500).contains(count), "input \(index)")
            } catch {
                switch error {
                case .truncated, .notProtected, .recoveryIncomplete, .notRestored, .bufferTooSmall: break
                default: Issue.record("input \(index): \(error)")
                }
            }
        }
        #expect(parsed > 20_000, "\(parsed) of the inputs were payloads")
        #expect(restored > 2000, "\(restored) of them restored a packet")
    }
}
