import RillCore
import RillTestSupport
import Testing

@testable import RillPages

@Suite struct HTMLTests {
    @Test func `Text and attributes are escaped, and come back as they were`() throws {
        let nasty = "a<b & \"c\" > 'd' ]]> <!-- é 猫\u{1F600}\n"
        let source = HTML.element("p", ["title": nasty], HTML(text: nasty)).source
        let paragraph = try #require(try MarkupDocument(source).elements.first)
        #expect(paragraph.text == nasty)
        // A parser of XML makes blanks of line breaks in attributes.
        #expect(paragraph.attributes["title"] == nasty.replacing("\n", with: " "))
    }

    @Test func `A literal is text, not markup`() {
        let name = "<b>"
        #expect(HTML.element("p", [:], "1 < 2, \(name)").source == "<p>1 &lt; 2, &lt;b&gt;</p>")
    }

    @Test func `Empty elements are closed as in HTML`() {
        #expect(HTML.element("br").source == "<br/>")
        #expect(HTML.element("div").source == "<div></div>")
        #expect(HTML([HTML.element("i"), HTML.empty]).source == "<i></i>")
    }

    @Test func `Whatever the text holds, the page stays well-formed`() throws {
        var generator = SeededGenerator(seed: 8)
        for _ in 0..<500 {
            var text = String.UnicodeScalarView()
            for _ in 0..<Int.random(in: 0...40, using: &generator) {
                let top: UInt32 = Bool.random(using: &generator) ? 0x80 : 0x10FFFF
                if let scalar = Unicode.Scalar(UInt32.random(in: 0...top, using: &generator)) { text.append(scalar) }
            }
            let page = Page(title: String(text), subtitle: String(text), body: [.paragraph(String(text))])
            #expect(throws: Never.self, "\(text.map(\.value))") { try MarkupDocument(page.source) }
        }
    }
}
