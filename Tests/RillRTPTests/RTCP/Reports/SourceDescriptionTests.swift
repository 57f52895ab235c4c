import RillCore
import RillPacketSupport
import RillRTP
import Testing

@Suite struct SourceDescriptionTests {
    @Test func `Items come with their sources, chunk after chunk`() throws {
        let items = try items(of: RTCPSamples.sourceDescription)
        #expect(items == ["0x0000cafe 1 a@b", "0x0000cafe 6 rill", "0x0000beef 1 c"])
    }

    @Test(arguments: 1...255)
    func `A canonical name of any length round-trips`(count: Int) throws {
        let name = [UInt8](repeating: 0x78, count: count)
        let bytes = written(SourceDescription.byteCount(canonicalName: count)) { output in
            SourceDescription.write(canonicalName: name.span, of: SSRC(7), into: &output)
        }
        #expect(bytes.count == SourceDescription.byteCount(canonicalName: count))
        #expect(bytes.count % 4 == 0 && bytes.last == 0)
        #expect(try items(of: bytes) == ["0x00000007 1 " + String(repeating: "x", count: count)])
    }

    @Test func `A canonical name has the layout of RFC 3550`() {
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

    @Test func `Any chunks and items come back`() throws {
        var random = SeededGenerator(seed: 55)
        for turn in 0..<300 {
            var expected: [String] = []
            let bytes = written(65536) { output in
                var writer = SourceDescriptionWriter(into: &output)
                let start = output.count
                var byteCount = 4
                for source in 0..<Int.random(in: 0...31, using: &random) {
                    writer.beginChunk(of: SSRC(UInt32(source)), into: &output)
                    var (count, textByteCount) = (0, 0)
                    for _ in 0..<Int.random(in: 0...3, using: &random) {
                        let type = SourceDescription.ItemType(rawValue: .random(in: 1...7, using: &random))
                        let text = [UInt8](repeating: 0x78, count: .random(in: 0...255, using: &random))
                        writer.append(type, text.span, into: &output)
                        expected.append(
                            "\(SSRC(UInt32(source))) \(type.rawValue) \(String(decoding: text, as: UTF8.self))")
                        (count, textByteCount) = (count + 1, textByteCount + text.count)
                    }
                    byteCount += SourceDescription.chunkByteCount(items: count, textByteCount: textByteCount)
                }
                writer.finish(into: &output)
                #expect(output.count - start + 4 == byteCount, "turn \(turn)")
            }
            #expect(try items(of: bytes) == expected, "turn \(turn)")
        }
    }

    @Test func `Private extensions have a prefix and a value`() throws {
        let (prefix, value) = (Array("rill".utf8), Array("42".utf8))
        let bytes = written(64) { output in
            var writer = SourceDescriptionWriter(into: &output)
            writer.beginChunk(of: SSRC(1), into: &output)
            writer.append(
                SourceDescription.PrivateExtension(prefix: prefix.span, value: value.span), into: &output)
            writer.finish(into: &output)
        }
        #expect(bytes == [0x81, 202, 0, 4, 0, 0, 0, 1, 8, 7, 4] + prefix + value + [0, 0, 0].prefix(20 - 17))
        try parsed(bytes) { packet in
            var description = try SourceDescription(parsing: packet)
            guard let item = try description.next() else {
                Issue.record("no item")
                return
            }
            let parts = try item.privateExtension()
            let (backPrefix, backValue) = (parts.prefix.array, parts.value.array)
            #expect(item.type == .privateExtension && backPrefix == prefix && backValue == value)
        }
        #expect(throws: RTPError.truncated(needed: 4, available: 3)) {
            try parsed([0x81, 202, 0, 3, 0, 0, 0, 1, 8, 3, 3, 1, 1, 0, 0, 0]) { packet in
                var description = try SourceDescription(parsing: packet)
                while let item = try description.next() { _ = try item.privateExtension() }
            }
        }
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
