import RillCore
import RillRTP
import RillTestSupport
import Testing

@Suite struct REDPayloadTests {
    private struct Block: Equatable {
        var type: UInt8
        var offset: Int?
        var data: [UInt8]
    }

    private func blocks(of bytes: [UInt8]) throws -> [Block] {
        var payload = try REDPayload(parsing: bytes.span)
        var blocks: [Block] = []
        while let block = payload.next() {
            blocks.append(
                Block(type: block.payloadType.rawValue, offset: block.timestampOffset, data: block.data.array))
        }
        return blocks
    }

    private func written(_ blocks: [Block]) -> [UInt8] {
        [UInt8](capacity: 20_000) { output in
            for block in blocks {
                let type = PayloadType(block.type)
                if let offset = block.offset {
                    REDPayload.writeRedundantHeader(
                        payloadType: type, timestampOffset: offset, byteCount: block.data.count, into: &output)
                } else {
                    REDPayload.writePrimaryHeader(payloadType: type, into: &output)
                }
            }
            for block in blocks { for byte in block.data { output.append(byte) } }
        }
    }

    @Test func `The example of RFC 2198 §4 is read and written`() throws {
        // A primary block of DVI4 (5) and one of LPC (7), one frame of 160 ticks back: F=1, PT=7, offset 160, 14 bytes.
        let lpc = Block(type: 7, offset: 160, data: [UInt8](repeating: 1, count: 14))
        let dvi = Block(type: 5, offset: nil, data: [UInt8](repeating: 2, count: 84))
        let bytes = [0x87, 0x02, 0x80, 0x0E, 0x05] + lpc.data + dvi.data
        #expect(try blocks(of: bytes) == [lpc, dvi])
        #expect(written([lpc, dvi]) == bytes)
    }

    @Test func `Any blocks come back`() throws {
        var random = SeededGenerator(seed: 3)
        for round in 0..<300 {
            var all = (0..<Int.random(in: 0...6, using: &random)).map { _ in
                Block(
                    type: .random(in: 0...127, using: &random), offset: .random(in: 0...16383, using: &random),
                    data: random.bytes(.random(in: 0...1023, using: &random)))
            }
            all.append(
                Block(
                    type: .random(in: 0...127, using: &random), offset: nil,
                    data: random.bytes(.random(in: 0...1500, using: &random))))
            #expect(try blocks(of: written(all)) == all, "round \(round)")
        }
        let largest = [
            Block(type: 127, offset: REDPayload.maximumTimestampOffset, data: random.bytes(1023)),
            Block(type: 0, offset: nil, data: []),
        ]
        #expect(try blocks(of: written(largest)) == largest)
    }

    @Test func `A payload cut short throws`() {
        let bytes = written([Block(type: 7, offset: 160, data: [1, 2, 3]), Block(type: 5, offset: nil, data: [4])])
        for count in 0..<8 {
            #expect(throws: RTPError.self, "\(count)") {
                _ = try REDPayload(parsing: Array(bytes.prefix(count)).span)
            }
        }
    }

    // MARK: Whole packets

    private func wrapped(_ packet: [UInt8]) throws -> [UInt8] {
        var bytes: [UInt8] = []
        try bytes.append(addingCapacity: packet.count + 1) { output throws(RTPError) in
            try REDPacket.write(wrapping: packet.span, payloadType: PayloadType(100), into: &output)
        }
        return bytes
    }

    private func primary(of packet: [UInt8]) throws -> [UInt8] {
        var bytes: [UInt8] = []
        try bytes.append(addingCapacity: packet.count) { output throws(RTPError) in
            try REDPacket.writePrimary(of: packet.span, into: &output)
        }
        return bytes
    }

    @Test func `A packet round-trips through RED`() throws {
        for isElaborate in [false, true] {
            let packet = rtpPacket(
                9, timestamp: 77, marker: true, payload: [1, 2, 3], isElaborate: isElaborate)
            let red = try wrapped(packet)
            #expect(red.count == packet.count + 1)
            let view = try RTPPacket(parsing: red.span)
            #expect(view.header.payloadType == PayloadType(100) && view.header.sequenceNumber == SequenceNumber(9))
            let payload = view.payload.array
            #expect(payload == [96, 1, 2, 3])
            #expect(try primary(of: red) == packet)
        }
    }

    @Test func `Redundant blocks are passed over`() throws {
        let payload = written([Block(type: 7, offset: 160, data: [9, 9]), Block(type: 96, offset: nil, data: [4])])
        #expect(try primary(of: rtpPacket(9, type: 100, payload: payload)) == rtpPacket(9, payload: [4]))
    }

    @Test func `Any bytes are blocks within the payload, or a typed error`() {
        let seeds = [
            written([Block(type: 7, offset: 160, data: [1, 2, 3]), Block(type: 5, offset: nil, data: [4])]),
            written([Block(type: 96, offset: nil, data: [1, 2, 3, 4, 5])]),
        ]
        var parsed = 0
        for (index, input) in MutatedInputs(of: seeds, count: 100_000, using: SeededGenerator(seed: 4)).enumerated() {
            do {
                let blocks = try blocks(of: input)
                parsed += 1
                let headers = 4 * (blocks.count - 1) + 1
                #expect(headers + blocks.map(\.data.count).reduce(0, +) == input.count, "input \(index)")
                #expect(blocks.last?.offset == nil, "input \(index)")
            } catch RTPError.truncated(let needed, let available) {
                #expect(needed > available, "input \(index)")
            } catch {
                Issue.record("input \(index): \(error)")
            }
        }
        #expect((20_000..<95_000).contains(parsed), "\(parsed) of the inputs were payloads")
    }
}
