import RillTestSupport
import Testing

@testable import RillPages

@Suite struct PageTests {
    private func page(title: String = "A call") -> Page {
        var table = PageTable(["name", "high"])
        table.addGroup("sent")
        table.add(["frames", "150"])
        table.add(["of them keys", "2"], isDetail: true)
        let x = Axis.time(0...10)
        let points = (0..<100).map { Mark.Point(Double($0) / 10, Double($0 % 7)) }
        let plot = Plot(
            "Delay", caption: "Good: low.", x: x, y: Axis("delay", unit: "ms", holding: points.map(\.y)),
            [.line("mean", .blue, points), .level("target", .grey, 3)])
        let events = EventPlot("Events", x: x, [.init("keys", .blue, events: [.init(1), .init(2, count: 3)])])
        return Page(
            title: title, body: [table.html, .section("Plots", [.stack([plot.html, events.html], over: 0...10)])])
    }

    @Test func `The same content gives the same bytes, other content others`() {
        #expect(page().bytes == page().bytes)
        #expect(page().bytes != page(title: "Another").bytes)
    }

    @Test func `A page is well-formed and refers to nothing outside`() throws {
        let document = try MarkupDocument(page().source)
        #expect(document.named("h1").map(\.text) == ["A call"])
        #expect(document.named("figure").count == 2)
        #expect(document.named("td").map(\.text) == ["150", "2"])
        for element in document.elements {
            #expect(element.attributes["href"] == nil && element.attributes["src"] == nil, "\(element)")
        }
        for word in ["http:", "https:", "url(", "@import"] { #expect(!page().source.contains(word), "\(word)") }
    }

    @Test func `Bytes in a page read as RFC 4648 writes them`() {
        let vectors = ["": "", "f": "Zg==", "fo": "Zm8=", "foo": "Zm9v", "foob": "Zm9vYg==", "fooba": "Zm9vYmE="]
        for (text, letters) in vectors { #expect(DataURI.base64(Array(text.utf8)) == letters, "\(text)") }
        #expect(DataURI.base64([0xFB, 0xFF, 0x00]) == "+/8A")
        #expect(DataURI.text([0x66], type: "image/webp") == "data:image/webp;base64,Zg==")
    }
}
