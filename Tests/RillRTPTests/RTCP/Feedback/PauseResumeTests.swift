import RillCore
import RillPacketSupport
import RillRTP
import Testing

@Suite struct PauseResumeTests {
    private static let sample = [
        PauseResume.Entry(target: SSRC(0xCAFE), kind: .paused(last: 0x1_FFFE), pauseID: 7),
        PauseResume.Entry(target: SSRC(0xF00D), kind: .pause, pauseID: 65535),
        PauseResume.Entry(target: SSRC(0xF00D), kind: .resume, pauseID: 7),
        PauseResume.Entry(target: SSRC(0xCAFE), kind: .refused(parameter: 9), pauseID: 8),
    ]

    @Test func `A message lists streams and their state`() throws {
        let entries = try entries(of: RTCPSamples.pauseResume)
        #expect(entries == Self.sample)
        let message = PauseResume(sender: SSRC(0xBEEF), entries: entries.span)
        let bytes = written(message.byteCount) { output in message.write(into: &output) }
        #expect(bytes == RTCPSamples.pauseResume)
    }

    @Test(arguments: [1, 2, 3, 1000])
    func `Messages of any length come back`(count: Int) throws {
        var random = SeededGenerator(seed: 77)
        let entries = (0..<count).map { _ in entry(&random) }
        let message = PauseResume(sender: SSRC(9), entries: entries.span)
        let bytes = written(message.byteCount) { output in message.write(into: &output) }
        #expect(bytes.count == message.byteCount)
        #expect(try self.entries(of: bytes) == entries)
    }

    private func entry(_ random: inout SeededGenerator) -> PauseResume.Entry {
        let word = UInt32(truncatingIfNeeded: random.next())
        let kinds: [PauseResume.Kind] = [
            .pause, .resume, .paused(last: word), .refused(), .refused(parameter: word),
        ]
        return PauseResume.Entry(
            target: SSRC(UInt32(truncatingIfNeeded: random.next())),
            kind: kinds[Int(random.next() % UInt64(kinds.count))], pauseID: UInt16(truncatingIfNeeded: random.next()))
    }

    /// A PAUSED of one word more than Rill knows, an entry of each reserved type with two words, and a PAUSE.
    @Test(arguments: 4...15 as ClosedRange<UInt8>)
    func `Entries of reserved types, and unknown parts of others, are ignored`(type: UInt8) throws {
        let entries = try entries(
            of: message([
                0, 0, 0, 1, 0x2F, 2, 0, 3, 0, 0, 0, 5, 9, 9, 9, 9,
                0, 0, 0, 2, type << 4, 2, 0, 4, 1, 2, 3, 4, 5, 6, 7, 8,
                0, 0, 0, 3, 0x00, 1, 0, 5, 1, 2, 3, 4,
                0, 0, 0, 4, type << 4, 0, 0, 4,
            ]))
        #expect(
            entries == [
                PauseResume.Entry(target: SSRC(1), kind: .paused(last: 5), pauseID: 3),
                PauseResume.Entry(target: SSRC(3), kind: .pause, pauseID: 5),
            ])
    }

    @Test func `A message cut short at any word throws`() throws {
        // After the header and behind each entry it is whole.
        let whole = [12, 24, 32, 40, 52]
        for byteCount in stride(from: 4, through: 52, by: 4) {
            var bytes = Array(RTCPSamples.pauseResume.prefix(byteCount))
            bytes[3] = UInt8(byteCount / 4 - 1)
            if let index = whole.firstIndex(of: byteCount) {
                #expect(try entries(of: bytes) == Array(Self.sample.prefix(index)), "\(byteCount) bytes")
            } else {
                #expect(throws: RTPError.self, "\(byteCount) bytes") { try entries(of: bytes) }
            }
        }
    }

    @Test(
        arguments: [
            ([0, 0, 0, 1], .truncated(needed: 13, available: 12)),
            ([0, 0, 0, 1, 0x00, 1, 0, 0], .truncated(needed: 20, available: 16)),
            ([0, 0, 0, 1, 0x00, 255, 0, 0, 1, 2, 3, 4], .truncated(needed: 1036, available: 20)),
            ([0, 0, 0, 1, 0x40, 2, 0, 0, 1, 2, 3, 4], .truncated(needed: 24, available: 20)),
            // A PAUSED that names no packet.
            ([0, 0, 0, 1, 0x20, 0, 0, 0], .truncated(needed: 4, available: 0)),
        ] as [([UInt8], RTPError)])
    func `Errors carry their numbers`(entry: [UInt8], expected: RTPError) {
        #expect(throws: expected) { try entries(of: message(entry)) }
    }

    private func message(_ entries: [UInt8]) -> [UInt8] {
        [0x89, 205, 0, UInt8(2 + entries.count / 4), 0, 0, 0, 9, 0, 0, 0, 0] + entries
    }

    private func entries(of bytes: [UInt8]) throws -> [PauseResume.Entry] {
        try parsed(bytes) { packet in
            var found: [PauseResume.Entry] = []
            var entries = try PauseResume(parsing: packet).entries
            while let entry = entries.next() { found.append(entry) }
            return found
        }
    }
}
