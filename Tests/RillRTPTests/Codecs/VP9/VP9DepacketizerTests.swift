import RillCore
import RillRTP
import RillTestSupport
import Testing

/// The tests of VP8 cover what all payload formats share.
@Suite struct VP9DepacketizerTests {
    private typealias Outcome = DepacketizeOutcome
    private typealias Layer = VP9PayloadDescriptor.Layer

    /// A packet with one byte of a frame, its number.
    private func packet(
        _ number: UInt16, timestamp: UInt32 = 0, layer: Layer? = nil, starts: Bool = false, ends: Bool = false,
        marker: Bool = false
    ) -> [UInt8] {
        let descriptor = VP9PayloadDescriptor(
            pictureID: .short(1), layer: layer, isFlexible: true, startsFrame: starts, endsFrame: ends)
        let piece = [UInt8(truncatingIfNeeded: number)]
        let payload = [UInt8](capacity: 10) { output in
            VP9Payload(descriptor: descriptor, piece: piece.span).write(into: &output)
        }
        let header = RTPHeader(
            marker: marker, payloadType: PayloadType(98), sequenceNumber: SequenceNumber(number),
            timestamp: RTPTimestamp(timestamp), ssrc: SSRC(1))
        let packet = RTPPacket(header: header, payload: payload.span)
        return [UInt8](capacity: packet.byteCount) { output in packet.write(into: &output) }
    }

    private func outcomes(of packets: [[UInt8]]) throws -> (outcomes: [Outcome], frame: [UInt8]) {
        var depacketizer = FrameDepacketizer(.vp9, maximumFrameByteCount: 1000)
        var frame: [UInt8] = []
        let outcomes = try packets.map { depacketizer.insert(try RTPPacket(parsing: $0.span), into: &frame) }
        return (outcomes, frame)
    }

    private let base = Layer(temporalIndex: 0)
    private let upper = Layer(temporalIndex: 0, spatialIndex: 1, isInterLayerPredicted: true)
    private let independent = Layer(temporalIndex: 0, spatialIndex: 1)

    @Test func `A frame of two packets, and one of a single packet`() throws {
        let result = try outcomes(of: [
            packet(1, starts: true), packet(2, ends: true, marker: true),
            packet(3, timestamp: 9, starts: true, ends: true, marker: true),
        ])
        #expect(result.outcomes == [.started, .completed, .completed])
        #expect(result.frame == [3])
    }

    @Test func `All spatial layers of a picture are one, whether they build on each other or not`() throws {
        for layer in [upper, independent] {
            let result = try outcomes(of: [
                packet(1, layer: base, starts: true), packet(2, layer: base, ends: true),
                packet(3, layer: layer, starts: true), packet(4, layer: layer, ends: true, marker: true),
            ])
            #expect(result.outcomes == [.started, .continued, .continued, .completed])
            #expect(result.frame == [1, 2, 3, 4])
        }
    }

    @Test func `A picture without its lowest layer is abandoned, unless the next one is independent`() throws {
        let lost = try outcomes(of: [packet(3, layer: upper, starts: true, ends: true, marker: true)])
        #expect(lost.outcomes == [.outOfPlace(.noStart)])
        let alone = try outcomes(of: [packet(3, layer: independent, starts: true, ends: true, marker: true)])
        #expect(alone.outcomes == [.completed])
    }

    @Test func `A gap gives up the picture`() throws {
        let result = try outcomes(of: [
            packet(1, layer: base, starts: true), packet(3, layer: upper, starts: true),
            packet(4, layer: upper, ends: true, marker: true), packet(5, timestamp: 9, layer: base, starts: true),
        ])
        #expect(result.outcomes == [.started, .outOfPlace(.noStart), .outOfPlace(.noStart), .started])
    }

    @Test func `Bytes that are not a VP9 payload are malformed`() throws {
        let header = RTPHeader(
            marker: false, payloadType: PayloadType(98), sequenceNumber: SequenceNumber(2), timestamp: RTPTimestamp(0),
            ssrc: SSRC(1))
        let payload: [UInt8] = [0x08]
        let empty = RTPPacket(header: header, payload: payload.span)
        let bytes = [UInt8](capacity: empty.byteCount) { output in empty.write(into: &output) }
        #expect(try outcomes(of: [bytes]).outcomes == [.malformed(.emptyPayload)])
    }

    @Test func `No sequence of any packets grows the frame beyond its limit`() {
        let seeds = [
            packet(1, layer: base, starts: true), packet(2, layer: upper, starts: true), packet(3, marker: true),
        ]
        var depacketizer = FrameDepacketizer(.vp9, maximumFrameByteCount: 100)
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
