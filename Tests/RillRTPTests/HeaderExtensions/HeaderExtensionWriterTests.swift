import RillCore
import RillRTP
import RillTestSupport
import Testing

@Suite struct HeaderExtensionWriterTests {
    private struct Element: Equatable {
        var id: UInt8
        var data: [UInt8]
    }

    private func block(_ elements: [Element]) -> (layout: HeaderExtensionLayout, bytes: [UInt8]) {
        var layout = HeaderExtensionLayout()
        for element in elements { layout.add(id: element.id, byteCount: element.data.count) }
        let bytes = written(layout.byteCount) { output in
            let writer = HeaderExtensionWriter(layout, into: &output)
            for element in elements { writer.append(data: element.data.span, id: element.id, into: &output) }
            writer.finish(into: &output)
        }
        return (layout, bytes)
    }

    @Test func `Small elements take the one-byte form`() {
        let (layout, bytes) = block([Element(id: 1, data: [0xAA]), Element(id: 14, data: [1, 2])])
        #expect(layout.form == .oneByte)
        #expect(bytes == [0xBE, 0xDE, 0, 2, 0x10, 0xAA, 0xE1, 1, 2, 0, 0, 0])
    }

    @Test(arguments: [(15, 1), (255, 1), (1, 0), (1, 17), (1, 255)] as [(UInt8, Int)])
    func `One that does not fit makes it the two-byte form`(id: UInt8, byteCount: Int) {
        let data = [UInt8](repeating: 7, count: byteCount)
        let (layout, bytes) = block([Element(id: 2, data: [0xAA]), Element(id: id, data: data)])
        #expect(layout.form == .twoByte())
        #expect(
            bytes.starts(with: [0x10, 0, 0, UInt8((bytes.count - 4) / 4), 2, 1, 0xAA, id, UInt8(byteCount)] + data))
        #expect(bytes.count == layout.byteCount && bytes.count % 4 == 0 && bytes.count - 9 - byteCount < 4)
    }

    @Test func `No elements make an empty block`() {
        #expect(block([]).bytes == [0xBE, 0xDE, 0, 0])
    }

    @Test func `Fewer elements than announced leave padding`() throws {
        var layout = HeaderExtensionLayout()
        layout.add(id: 1, byteCount: 3)
        layout.add(id: 2, byteCount: 3)
        let bytes = written(layout.byteCount) { output in
            let writer = HeaderExtensionWriter(layout, into: &output)
            writer.append(AbsoluteSendTime(rawValue: 0x01_0203), id: 2, into: &output)
            writer.finish(into: &output)
        }
        #expect(bytes == [0xBE, 0xDE, 0, 2, 0x22, 1, 2, 3, 0, 0, 0, 0])
    }

    @Test func `Any elements come back`() throws {
        var random = SeededGenerator(seed: 61)
        for turn in 0..<2000 {
            let isSmall = turn % 2 == 0
            let elements = (0..<Int.random(in: 0...12, using: &random)).map { _ in
                Element(
                    id: .random(in: 1...(isSmall ? 14 : 255), using: &random),
                    data: random.bytes(.random(in: isSmall ? 1...16 : 0...255, using: &random)))
            }
            let (layout, bytes) = block(elements)
            #expect(!isSmall || layout.form == .oneByte, "turn \(turn)")
            let view = try RTPHeaderExtension(parsing: bytes.span)
            #expect(view.byteCount == bytes.count && view.form == layout.form, "turn \(turn)")
            var walk = view.elements
            var back: [Element] = []
            while let element = try walk.next() { back.append(Element(id: element.id, data: element.data.array)) }
            #expect(back == elements, "turn \(turn)")
        }
    }

    @Test func `A form has a profile and the other way round`() {
        for bits in 0...15 as ClosedRange<UInt8> {
            let form = HeaderExtensionForm.twoByte(applicationBits: bits)
            #expect(form.profile == 0x1000 + UInt16(bits))
            #expect(HeaderExtensionForm(profile: form.profile) == form)
        }
        #expect(HeaderExtensionForm(profile: HeaderExtensionForm.oneByte.profile) == .oneByte)
        #expect(HeaderExtensionForm(profile: 0x1234) == nil)
    }
}
