import RillCore
import RillRTP
import RillTestSupport
import Testing

@Suite struct VP8DepacketizerTests {
    private typealias Outcome = DepacketizeOutcome

    /// A packet with that many bytes of the frame, all of them the sequence number's low byte.
    private func packet(
        _ number: UInt16, timestamp: UInt32 = 0, starts: Bool = false, marker: Bool = false, byteCount: Int = 2,
        padding: Int = 0
    ) -> [UInt8] {
        var payload: [UInt8] = []
        if byteCount > 0 {
            payload = [starts ? 0x10 : 0x00] + [UInt8](repeating: UInt8(truncatingIfNeeded: number), count: byteCount)
        }
        let header = RTPHeader(
            marker: marker, payloadType: PayloadType(96), sequenceNumber: SequenceNumber(number),
            timestamp: RTPTimestamp(timestamp), ssrc: SSRC(1))
        let packet = RTPPacket(header: header, payload: payload.span, paddingByteCount: padding)
        return [UInt8](capacity: packet.byteCount) { output in packet.write(into: &output) }
    }

    private func outcomes(
        of packets: [[UInt8]], limit: Int = 1000
    ) throws -> (outcomes: [Outcome], frame: [UInt8]) {
        var depacketizer = FrameDepacketizer(.vp8, maximumFrameByteCount: limit)
        var frame: [UInt8] = []
        let outcomes = try packets.map { depacketizer.insert(try RTPPacket(parsing: $0.span), into: &frame) }
        return (outcomes, frame)
    }

    @Test func `A frame in one packet completes at once`() throws {
        let result = try outcomes(of: [packet(1, starts: true, marker: true)])
        #expect(result.outcomes == [.completed])
        #expect(result.frame == [1, 1])
    }

    @Test func `Each frame replaces the one before`() throws {
        let result = try outcomes(of: [
            packet(1, starts: true), packet(2, marker: true), packet(3, timestamp: 9, starts: true),
            packet(4, timestamp: 9), packet(5, timestamp: 9, marker: true),
        ])
        #expect(result.outcomes == [.started, .completed, .started, .continued, .completed])
        #expect(result.frame == [3, 3, 4, 4, 5, 5])
    }

    @Test func `A gap gives up the frame and the next one is whole`() throws {
        let result = try outcomes(of: [
            packet(1, starts: true), packet(3), packet(4, marker: true), packet(5, timestamp: 9, starts: true),
            packet(6, timestamp: 9, marker: true),
        ])
        #expect(
            result.outcomes == [
                .started, .outOfPlace(.noStart), .outOfPlace(.noStart), .started, .completed,
            ])
        #expect(result.frame == [5, 5, 6, 6])
    }

    @Test func `Duplicates and late packets change nothing`() throws {
        let result = try outcomes(of: [
            packet(65535, starts: true), packet(65535, starts: true), packet(65000, starts: true, marker: true),
            packet(0, marker: true), packet(65535, starts: true),
        ])
        #expect(
            result.outcomes == [
                .started, .outOfPlace(.late), .outOfPlace(.late), .completed, .outOfPlace(.late),
            ])
        #expect(result.frame == [255, 255, 0, 0])
    }

    @Test func `A sender that restarts far back is accepted`() throws {
        let result = try outcomes(of: [packet(30_000, starts: true), packet(28_999, starts: true, marker: true)])
        #expect(result.outcomes == [.started, .completed])
    }

    @Test func `Another timestamp without a frame start is out of place`() throws {
        let result = try outcomes(of: [packet(1, starts: true), packet(2, timestamp: 1), packet(3, marker: true)])
        #expect(result.outcomes == [.started, .outOfPlace(.otherTimestamp), .outOfPlace(.noStart)])
    }

    @Test func `Padding between packets takes a number and nothing else`() throws {
        let result = try outcomes(of: [
            packet(1, starts: true), packet(2, byteCount: 0, padding: 10), packet(3, marker: true),
        ])
        #expect(result.outcomes == [.started, .empty, .completed])
        #expect(result.frame == [1, 1, 3, 3])
    }

    @Test func `A frame beyond the limit is given up`() throws {
        let result = try outcomes(
            of: [
                packet(1, starts: true, byteCount: 6), packet(2, byteCount: 4), packet(3, byteCount: 1),
                packet(4, marker: true), packet(5, starts: true, byteCount: 11), packet(6, starts: true, marker: true),
            ], limit: 10)
        #expect(
            result.outcomes == [
                .started, .continued, .outOfPlace(.tooLarge), .outOfPlace(.noStart), .outOfPlace(.tooLarge),
                .completed,
            ])
    }

    @Test func `A packet without frame bytes is malformed and gives up the frame`() throws {
        let header = RTPHeader(
            marker: false, payloadType: PayloadType(96), sequenceNumber: SequenceNumber(2), timestamp: RTPTimestamp(0),
            ssrc: SSRC(1))
        let payload: [UInt8] = [0x00]
        let empty = RTPPacket(header: header, payload: payload.span)
        let bytes = [UInt8](capacity: empty.byteCount) { output in empty.write(into: &output) }
        let result = try outcomes(of: [packet(1, starts: true), bytes, packet(3, marker: true)])
        #expect(result.outcomes == [.started, .malformed(.emptyPayload), .outOfPlace(.noStart)])
    }

    @Test func `No sequence of any packets grows the frame beyond its limit`() {
        let seeds = [
            packet(1, starts: true), packet(2), packet(3, marker: true), packet(4, byteCount: 0, padding: 4),
        ]
        var depacketizer = FrameDepacketizer(.vp8, maximumFrameByteCount: 100)
        var frame: [UInt8] = []
        var completed = 0
        let inputs = MutatedInputs(of: seeds, count: 100_000, using: SeededGenerator(seed: 9))
        for (index, var input) in inputs.enumerated() {
            if index % 2 == 0, input.count > 12 {
                // Otherwise hardly any two packets would belong together.
                input[2] = UInt8(truncatingIfNeeded: index >> 9)
                input[3] = UInt8(truncatingIfNeeded: index >> 1)
                for byte in 4..<8 { input[byte] = 0 }
            }
            guard let packet = try? RTPPacket(parsing: input.span) else { continue }  // RTPPacketTests sees to these
            if depacketizer.insert(packet, into: &frame) == .completed { completed += 1 }
            #expect(frame.count <= 100, "input \(index)")
        }
        #expect(completed > 500, "\(completed) frames")
    }
}
