import RillCore
import RillPacketSupport
import RillRTP
import RillWireFuzzTargets
import Testing

@Suite struct TransportFeedbackTests {
    private typealias Status = TransportFeedback.PacketStatus
    private typealias Packet = TransportFeedback.Packet

    /// As Chromium 156 writes it: the last word is filled by padding of one to three bytes.
    @Test(
        arguments: [
            [
                0xAF, 0xCD, 0, 6, 0xA0, 0x5A, 0x20, 0xF3, 0x15, 0x1B, 0x35, 0xCA, 0, 0, 0, 3, 2, 0x94, 0xE9, 0, 0x20, 3,
                0xC1, 0x23,
                0x25, 0, 0, 3,
            ],
            [
                0xAF, 0xCD, 0, 5, 0xA0, 0x5A, 0x20, 0xF3, 0x15, 0x1B, 0x35, 0xCA, 0, 0x10, 0, 1, 2, 0x94, 0xEF, 5, 0x20,
                1, 0xEE, 1,
            ],
        ] as [[UInt8]])
    func `Feedback with padding of less than a word is that of a browser`(bytes: [UInt8]) throws {
        try parsed(bytes) { packet in
            #expect(packet.byteCount == bytes.count)
            let feedback = try TransportFeedback(parsing: packet)
            #expect(feedback.count == Int(bytes[15]) && feedback.feedbackCount == bytes[19])
            let deltas = array(feedback.packets).map(\.status)
            #expect(deltas == (0..<feedback.count).map { .received(delta: Int16(bytes[22 + $0])) })
        }
    }

    @Test func `A feedback packet has the values of its bytes`() throws {
        try parsed(RTCPSamples.transportFeedback) { packet in
            let feedback = try TransportFeedback(parsing: packet)
            #expect(feedback.sender == SSRC(0xBEEF) && feedback.media == SSRC(0xCAFE))
            #expect(feedback.baseSequenceNumber == SequenceNumber(65530) && feedback.count == 41)
            #expect(feedback.referenceTime == -1 && feedback.feedbackCount == 42)
            let packets = array(feedback.packets)
            #expect(packets.count == 41)
            #expect(packets[..<21].allSatisfy { $0.status == .notReceived && $0.arrival == nil })
            // 21 after 65530.
            #expect(
                packets[21] == Packet(sequenceNumber: SequenceNumber(15), status: .received(delta: 1), arrival: -255))
            let deltas = packets[34...].compactMap { packet -> Int16? in
                guard case .received(let delta) = packet.status else { return nil }
                return delta
            }
            #expect(deltas == [-1, 255, -3, 255, -5, 255, 256])
            // -256 at the reference time, 61 small steps, and these.
            #expect(packets[40].arrival == 817)
        }
    }

    /// Each row has the statuses of a feedback, and their chunks (draft-holmer §3.1.3, §3.1.4).
    private static let chunks: [(statuses: [Status], chunks: [UInt16])] = [
        ([], []),
        ([.received(delta: 0)], [0x2001]),
        ([Status](repeating: .notReceived, count: 8191), [0x1FFF]),
        ([Status](repeating: .notReceived, count: 8192), [0x1FFF, 0x0001]),
        ([Status](repeating: .received(delta: -1), count: 221), [0x40DD]),
        // The vectors of the draft's example, figure for figure: 0 1 1 1 1 1 0 0 0 1 1 1 0 0 and 0 2 2 2 2 2 0.
        (
            [0, 1, 1, 1, 1, 1, 0, 0, 0, 1, 1, 1, 0, 0].map { $0 == 0 ? .notReceived : .received(delta: 9) },
            [0b1001_1111_0001_1100]
        ),
        (
            [0, 1, 2, 2, 2, 0, 0].map { $0 == 0 ? .notReceived : .received(delta: $0 == 1 ? 0 : 256) },
            [0b1100_0110_1010_0000]
        ),
        // A run wins over a vector only where it is as long.
        ([Status](repeating: .notReceived, count: 13) + [.received(delta: 0)], [0x8001]),
        ([Status](repeating: .notReceived, count: 13) + [.received(delta: 256)], [0x000D, 0x4001]),
        ([Status](repeating: .notReceived, count: 6) + [.received(delta: 256)], [0xC002]),
    ]

    @Test(arguments: chunks.indices)
    func `The chunk that covers most packets is chosen`(index: Int) throws {
        let (statuses, expected) = TransportFeedbackTests.chunks[index]
        let bytes = bytes(of: statuses)
        let found = (0..<expected.count).map { UInt16(bytes[20 + 2 * $0]) << 8 | UInt16(bytes[21 + 2 * $0]) }
        #expect(found == expected)
        let deltaByteCount = statuses.reduce(0) { sum, status in
            guard case .received(let delta) = status else { return sum }
            return sum + ((0...255).contains(delta) ? 1 : 2)
        }
        #expect(bytes.count == 20 + (2 * expected.count + deltaByteCount + 3) / 4 * 4)
    }

    @Test func `Any packets come back`() throws {
        var random = SeededGenerator(seed: 52)
        for turn in 0..<2000 {
            let statuses = statuses(turn, &random)
            let base = SequenceNumber(.random(in: .min ... .max, using: &random))
            let time = Int32.random(in: -0x80_0000...0x7F_FFFF, using: &random)
            let count = UInt8.random(in: .min ... .max, using: &random)
            let bytes = bytes(of: statuses, base: base, referenceTime: time, count: count)
            try parsed(bytes) { packet in
                let back = try TransportFeedback(parsing: packet)
                #expect(back.baseSequenceNumber == base && back.referenceTime == time, "turn \(turn)")
                #expect(back.feedbackCount == count && back.count == statuses.count, "turn \(turn)")
                let packets = array(back.packets)
                #expect(packets.map(\.status) == statuses, "turn \(turn)")
                #expect(
                    packets.map(\.sequenceNumber) == statuses.indices.map { base.advanced(by: $0) }, "turn \(turn)")
            }
        }
    }

    @Test func `The maximum number of packets round-trips`() throws {
        let statuses = (0..<65535).map { $0 % 5 == 0 ? Status.notReceived : .received(delta: Int16($0 % 300)) }
        try parsed(bytes(of: statuses)) { packet in
            let packets = array(try TransportFeedback(parsing: packet).packets)
            #expect(packets.map(\.status) == statuses)
        }
    }

    @Test(
        arguments: [
            // Chunks that say fewer packets than the count, and deltas that are fewer than the chunks say.
            ([0, 1, 0, 5, 0, 0, 0, 0, 0x20, 0x04, 0, 0], .truncated(needed: 22, available: 20)),
            ([0, 1, 0, 4, 0, 0, 0, 0, 0x20, 0x04, 1, 1], .truncated(needed: 22, available: 20)),
            ([0, 1, 0, 2, 0, 0, 0, 0, 0x60, 0x02, 1, 1], .reservedPacketStatus(index: 0)),
            ([0, 1, 0, 9, 0, 0, 0, 0, 0, 4, 0xC0, 0x30], .reservedPacketStatus(index: 8)),
            ([0, 1, 0, 1, 0, 0, 0, 0], .truncated(needed: 18, available: 16)),
        ] as [([UInt8], RTPError)])
    func `Contradictions throw`(tail: [UInt8], expected: RTPError) {
        let bytes: [UInt8] = [0x8F, 205, 0, UInt8(2 + tail.count / 4), 0, 0, 0, 1, 0, 0, 0, 2] + tail
        #expect(throws: expected, "\(tail)") {
            try parsed(bytes) { packet in _ = try TransportFeedback(parsing: packet) }
        }
    }

    @Test func `Reserved symbols after the last packet, and empty runs, are ignored`() throws {
        let bytes: [UInt8] = [
            0x8F, 205, 0, 5, 0, 0, 0, 1, 0, 0, 0, 2, 0, 1, 0, 1, 0, 0, 0, 0, 0x00, 0x00, 0xDF, 0xFF,
        ]
        // The delta of the one packet is missing.
        #expect(throws: RTPError.truncated(needed: 21, available: 20)) {
            try parsed(bytes) { packet in _ = try TransportFeedback(parsing: packet) }
        }
        var good = bytes + [7, 0, 0, 0]
        good[3] = 6
        try parsed(good) { packet in
            let packets = array(try TransportFeedback(parsing: packet).packets)
            #expect(
                packets == [Packet(sequenceNumber: SequenceNumber(1), status: .received(delta: 7), arrival: 7)])
        }
    }

    private func bytes(
        of statuses: [Status], base: SequenceNumber = SequenceNumber(0), referenceTime: Int32 = 0, count: UInt8 = 0
    ) -> [UInt8] {
        let feedback = TransportFeedback(
            sender: SSRC(1), media: SSRC(2), baseSequenceNumber: base, referenceTime: referenceTime,
            feedbackCount: count, packets: statuses.span)
        return written(feedback.byteCount) { output in feedback.write(into: &output) }
    }

    /// Short and long rows, with and without runs and large deltas.
    private func statuses(_ turn: Int, _ random: inout SeededGenerator) -> [Status] {
        var statuses: [Status] = []
        for _ in 0..<Int.random(in: 0...8, using: &random) {
            let length = Int.random(in: 1...(turn % 2 == 0 ? 3 : 40), using: &random)
            let kind = Int.random(in: 0...3, using: &random)
            for _ in 0..<length {
                switch kind {
                case 0: statuses.append(.notReceived)
                case 1: statuses.append(.received(delta: .random(in: 0...255, using: &random)))
                case 2: statuses.append(.received(delta: .random(in: .min ... -1, using: &random)))
                default: statuses.append(.received(delta: .random(in: 256 ... .max, using: &random)))
                }
            }
        }
        return statuses
    }
}
