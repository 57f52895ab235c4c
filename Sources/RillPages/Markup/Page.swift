/// A page that is complete in one file: without network or other files, readable without scripts, in light and dark
/// mode.
///
/// ```swift
/// let page = Page(title: "A call", body: [table.html, plots.html])
/// try file.write(page.bytes)
/// ```
///
/// The same content yields the same bytes. The file is HTML 5, and parses as XML.
public struct Page: Sendable {
    /// The title, in the browser's tab and at the top.
    public var title: String
    /// A line under the title.
    public var subtitle: String
    /// The content, from top to bottom.
    public var body: [HTML]

    /// Creates a page.
    public init(title: String, subtitle: String = "", body: [HTML]) {
        self.title = title
        self.subtitle = subtitle
        self.body = body
    }

    /// The bytes of the file, in UTF-8.
    public var bytes: [UInt8] { Array(source.utf8) }

    /// The text of the file.
    public var source: String {
        let head = HTML.element(
            "head", [:], .element("meta", ["charset": "utf-8"]),
            .element("meta", ["name": "viewport", "content": "width=device-width, initial-scale=1"]),
            .element("meta", ["name": "color-scheme", "content": "light dark"]),
            .element("title", [:], HTML(text: title)), .verbatim("style", PageStyle.sheet))
        var content = [HTML.element("h1", [:], HTML(text: title))]
        if !subtitle.isEmpty { content.append(.element("p", ["class": "subtitle"], HTML(text: subtitle))) }
        let main = HTML.element("main", [:], content + body)
        let page = HTML.element(
            "html", ["lang": "en"], head, .element("body", [:], main, .verbatim("script", PageStyle.script)))
        return "<!DOCTYPE html>\n" + page.source + "\n"
    }
}

extension HTML {
    /// Creates a section of a page under a heading.
    public static func section(_ title: String, _ content: [HTML]) -> HTML {
        .element("section", [:], [.element("h2", [:], HTML(text: title))] + content)
    }

    /// Creates a paragraph.
    public static func paragraph(_ text: String, isNote: Bool = false) -> HTML {
        .element("p", ["class": isNote ? "note" : "text"], HTML(text: text))
    }
}
