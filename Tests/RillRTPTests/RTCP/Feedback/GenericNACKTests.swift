import RillCore
import RillPacketSupport
import RillRTP
import Testing

@Suite struct GenericNACKTests {
    @Test func `A request lists packets by their first and a mask`() throws {
        try parsed(RTCPSamples.genericNACK) { packet in
            let nack = try GenericNACK(parsing: packet)
            #expect(nack.sender == SSRC(0xBEEF) && nack.media == SSRC(0xCAFE))
            let entries = nack.entries.array
            #expect(
                entries == [
                    GenericNACK.Entry(packetID: SequenceNumber(65535), following: 0x8003),
                    GenericNACK.Entry(packetID: SequenceNumber(100)),
                ])
            #expect(written(nack.byteCount) { output in nack.write(into: &output) } == RTCPSamples.genericNACK)
        }
        #expect(try numbers(in: RTCPSamples.genericNACK) == [65535, 0, 1, 15, 100])
    }

    @Test func `A list of numbers takes as few entries as it can`() {
        #expect(request(for: [65535, 0, 1, 15, 100]) == RTCPSamples.genericNACK)
        #expect(request(for: [7]).count == 16)
        #expect(request(for: Array(0...16)).count == 16)
        #expect(request(for: Array(0...17)).count == 20)
        #expect(request(for: Array(0...33)).count == 20)
        #expect(request(for: [0, 17, 34]).count == 24)
    }

    @Test(arguments: interestingStarts)
    func `Any rising numbers come back`(start: UInt16) throws {
        var random = SeededGenerator(seed: 50)
        for turn in 0..<300 {
            var numbers = [start]
            for _ in 0..<Int.random(in: 0...60, using: &random) {
                let step = UInt16.random(in: 1...(turn % 2 == 0 ? 4 : 100), using: &random)
                numbers.append((numbers.last ?? start) &+ step)
            }
            #expect(try self.numbers(in: request(for: numbers)) == numbers, "start \(start) turn \(turn)")
        }
    }

    @Test func `Falling or repeated numbers are NACKed, too`() throws {
        #expect(try numbers(in: request(for: [5, 5, 3, 4, 5])) == [5, 3, 4, 5])
    }

    @Test func `A request cut short throws`() {
        #expect(throws: RTPError.truncated(needed: 8, available: 4)) {
            try numbers(in: [0x81, 205, 0, 1, 0, 0, 0, 1])
        }
    }

    private func request(for numbers: [UInt16]) -> [UInt8] {
        let lost = numbers.map(SequenceNumber.init(rawValue:))
        return written(GenericNACK.byteCount(lost: lost.span)) { output in
            GenericNACK.write(lost: lost.span, of: SSRC(0xCAFE), from: SSRC(0xBEEF), into: &output)
        }
    }

    private func numbers(in bytes: [UInt8]) throws -> [UInt16] {
        try parsed(bytes) { packet in
            var lost = try GenericNACK(parsing: packet).lostPackets
            var numbers: [UInt16] = []
            while let number = lost.next() { numbers.append(number.rawValue) }
            return numbers
        }
    }
}
