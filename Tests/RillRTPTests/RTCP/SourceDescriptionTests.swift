import RillRTP
import Testing

@Suite struct SourceDescriptionTests {
    @Test func `Items come with their sources, chunk after chunk`() throws {
        let items = try items(of: RTCPSamples.sourceDescription)
        #expect(items == ["0x0000cafe 1 a@b", "0x0000cafe 6 rill", "0x0000beef 1 c"])
    }

    @Test(arguments: 1...255)
    func `A canonical name of any length comes back`(count: Int) throws {
        let name = [UInt8](repeating: 0x78, count: count)
        let bytes = written(SourceDescription.byteCount(canonicalName: count)) { output in
            SourceDescription.write(canonicalName: name.span, of: SSRC(7), into: &output)
        }
        #expect(bytes.count == SourceDescription.byteCount(canonicalName: count))
        #expect(bytes.count % 4 == 0 && bytes.last == 0)
        #expect(try items(of: bytes) == ["0x00000007 1 " + String(repeating: "x", count: count)])
    }

    @Test func `A canonical name stands as RFC 3550 draws it`() {
        let name: [UInt8] = [0x61, 0x40, 0x62]
        let bytes = written(SourceDescription.byteCount(canonicalName: 3)) { output in
            SourceDescription.write(canonicalName: name.span, of: SSRC(0xCAFE), into: &output)
        }
        #expect(bytes == [0x81, 202, 0, 3, 0, 0, 0xCA, 0xFE, 1, 3, 0x61, 0x40, 0x62, 0, 0, 0])
    }

    @Test func `Chunks without items and empty texts are fine`() throws {
        #expect(try items(of: [0x81, 202, 0, 2, 0, 0, 0, 1, 0, 0, 0, 0]) == [])
        #expect(try items(of: [0x80, 202, 0, 0]) == [])
        #expect(try items(of: [0x81, 202, 0, 2, 0, 0, 0, 1, 2, 0, 0, 0]) == ["0x00000001 2 "])
    }

    @Test(
        arguments: [
            ([0x81, 202, 0, 0], .truncated(needed: 4, available: 0)),
            ([0x81, 202, 0, 1, 0, 0, 0, 1], .truncated(needed: 5, available: 4)),
            ([0x81, 202, 0, 2, 0, 0, 0, 1, 1, 3, 0, 0], .truncated(needed: 9, available: 8)),
            ([0x81, 202, 0, 2, 0, 0, 0, 1, 1, 2, 0, 0], .truncated(needed: 9, available: 8)),
            ([0x82, 202, 0, 2, 0, 0, 0, 1, 0, 0, 0, 0], .truncated(needed: 12, available: 8)),
        ] as [([UInt8], RTPError)])
    func `Chunks cut short throw`(bytes: [UInt8], expected: RTPError) {
        #expect(throws: expected, "\(bytes)") { try items(of: bytes) }
    }

    private func items(of bytes: [UInt8]) throws -> [String] {
        try parsed(bytes) { packet in
            var description = try SourceDescription(parsing: packet)
            var items: [String] = []
            while let item = try description.next() {
                items.append("\(item.ssrc) \(item.type.rawValue) \(String(decoding: item.text.array, as: UTF8.self))")
            }
            return items
        }
    }
}
