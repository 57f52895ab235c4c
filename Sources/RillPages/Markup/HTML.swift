/// A piece of a page: HTML that is well-formed XML too, because it can only be made of elements and of text, and text is
/// escaped.
///
///     let line = HTML.element("p", ["class": "note"], "loss < 2 %, as ", .element("b", [:], HTML(text: name)))
///
/// A string literal is text, not markup.
public struct HTML: Sendable, Equatable, ExpressibleByStringLiteral, ExpressibleByStringInterpolation {
    /// The piece as it stands in the file.
    public private(set) var source: String

    /// Text; whatever it holds, a browser shows it as it is. What no page may hold (most control characters) stands as
    /// U+FFFD.
    public init(text: String) {
        source = HTML.escaped(text)
    }

    /// Text in the source code.
    public init(stringLiteral text: String) {
        self.init(text: text)
    }

    /// Pieces one after the other.
    public init(_ pieces: [HTML]) {
        source = pieces.lazy.map(\.source).joined()
    }

    /// Nothing.
    public static let empty = HTML([])

    /// An element with its attributes, whose values are escaped, and what it holds.
    ///
    /// Names are the programmer's, who writes them as HTML does: letters, digits and hyphens.
    public static func element(
        _ name: String, _ attributes: KeyValuePairs<String, String> = [:], _ content: HTML...
    ) -> HTML {
        element(name, attributes, content)
    }

    /// The same with a list of pieces.
    public static func element(
        _ name: String, _ attributes: KeyValuePairs<String, String> = [:], _ content: [HTML]
    ) -> HTML {
        var source = "<\(checked(name))"
        for (name, value) in attributes { source += " \(checked(name))=\"\(escaped(value))\"" }
        if content.isEmpty, closed.contains(name) {
            source += "/>"
        } else {
            source += ">"
            for piece in content { source += piece.source }
            source += "</\(name)>"
        }
        return HTML(markup: source)
    }

    /// Style sheets and scripts, which HTML does not escape: only our own, without the two signs that XML would.
    static func verbatim(_ name: String, _ text: String) -> HTML {
        precondition(!text.contains("<") && !text.contains("&"), "a \(name) on a page has neither < nor &")
        return HTML(markup: "<\(name)>\n\(text)</\(name)>")
    }

    private init(markup: String) {
        source = markup
    }

    /// Elements that hold nothing, in HTML by their nature and in SVG as they are used here.
    private static let closed: Set<String> = ["meta", "br", "img", "path", "line", "rect", "circle"]

    private static func checked(_ name: String) -> String {
        let isName = name.utf8.allSatisfy { byte in
            (0x30...0x39).contains(byte) || (0x41...0x5A).contains(byte) || (0x61...0x7A).contains(byte) || byte == 0x2D
        }
        precondition(isName && !name.isEmpty, "\"\(name)\" is no name of an element or an attribute")
        return name
    }

    private static func escaped(_ text: String) -> String {
        var escaped = ""
        escaped.reserveCapacity(text.utf8.count)
        for scalar in text.unicodeScalars {
            switch scalar {
            case "&": escaped += "&amp;"
            case "<": escaped += "&lt;"
            case ">": escaped += "&gt;"
            case "\"": escaped += "&quot;"
            case "\t", "\n": escaped.unicodeScalars.append(scalar)
            // The characters that XML 1.0 §2.2 leaves out, and DEL.
            case "\u{0}"..."\u{1F}", "\u{7F}"..."\u{9F}", "\u{FFFE}", "\u{FFFF}": escaped += "\u{FFFD}"
            default: escaped.unicodeScalars.append(scalar)
            }
        }
        return escaped
    }
}
