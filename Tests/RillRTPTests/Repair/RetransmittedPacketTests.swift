import RillCore
import RillRTP
import RillTestSupport
import Testing

@Suite struct RetransmittedPacketTests {
    private func written(_ original: [UInt8], number: UInt16 = 500) throws -> [UInt8] {
        var bytes = [UInt8](repeating: 0, count: 0)
        bytes.reserveCapacity(original.count + 2)
        try bytes.append(addingCapacity: original.count + 2) { output throws(RTPError) in
            try RetransmittedPacket.write(
                original.span, payloadType: PayloadType(97), sequenceNumber: SequenceNumber(number), ssrc: SSRC(0xABCD),
                into: &output)
        }
        return bytes
    }

    private func original(of bytes: [UInt8]) throws -> [UInt8] {
        let packet = try RetransmittedPacket(parsing: bytes.span)
        return [UInt8](capacity: packet.originalByteCount) { output in
            packet.writeOriginal(payloadType: PayloadType(96), ssrc: SSRC(2), into: &output)
        }
    }

    @Test func `The bytes are those of RFC 4588 figure 1`() throws {
        let bytes = try written(rtpPacket(0x1234, timestamp: 0x0102_0304, marker: true, payload: [7, 8, 9]))
        #expect(
            bytes == [
                0x80, 0xE1, 0x01, 0xF4, 1, 2, 3, 4, 0, 0, 0xAB, 0xCD, 0x12, 0x34, 7, 8, 9,
            ])
    }

    @Test(arguments: interestingStarts)
    func `Any packet is restored to the original`(number: UInt16) throws {
        var random = SeededGenerator(seed: UInt64(number))
        for isElaborate in [false, true] {
            for count in [0, 1, 1200] {
                let packet = rtpPacket(
                    number, timestamp: UInt32(number) << 16, marker: count == 1, payload: random.bytes(count),
                    isElaborate: isElaborate)
                let again = try written(packet, number: number &+ 7)
                #expect(again.count == packet.count + RetransmittedPacket.headerByteCount)
                let view = try RetransmittedPacket(parsing: again.span)
                #expect(view.originalSequenceNumber == SequenceNumber(number))
                #expect(view.ssrc == SSRC(0xABCD))
                let restored = try original(of: again)
                #expect(restored == packet, "\(number) \(isElaborate) \(count)")
            }
        }
    }

    @Test func `Padding is ignored`() throws {
        let again = try written(rtpPacket(1, payload: [5], padding: 9))
        #expect(try original(of: again) == rtpPacket(1, payload: [5]))
        #expect(again[0] == 0x80)
    }

    @Test func `Bytes that are not a packet throw`() {
        #expect(throws: RTPError.truncated(needed: 2, available: 0)) {
            _ = try RetransmittedPacket(parsing: rtpPacket(1, payload: [], padding: 9).span)
        }
        #expect(throws: RTPError.unsupportedVersion(0)) { _ = try written([0, 1, 2]) }
    }

    @Test func `Any bytes are a packet that can be written out, or a typed error`() throws {
        let seeds = [
            try written(rtpPacket(1, payload: [5, 6, 7])), try written(rtpPacket(2, payload: [5], isElaborate: true)),
            rtpPacket(3, payload: [1, 2, 3], padding: 4),
        ]
        var parsed = 0
        for (index, input) in MutatedInputs(of: seeds, count: 100_000, using: SeededGenerator(seed: 3)).enumerated() {
            do throws(RTPError) {
                let packet = try RetransmittedPacket(parsing: input.span)
                parsed += 1
                let count = packet.originalByteCount
                let bytes = [UInt8](capacity: count) { output in
                    packet.writeOriginal(payloadType: PayloadType(96), ssrc: SSRC(2), into: &output)
                }
                #expect(bytes.count == count && count >= 12, "input \(index)")
            } catch {
                switch error {
                case .truncated, .unsupportedVersion, .invalidPadding: break
                default: Issue.record("input \(index): \(error)")
                }
            }
        }
        #expect((30_000..<99_000).contains(parsed), "\(parsed) of the inputs were packets")
    }
}
