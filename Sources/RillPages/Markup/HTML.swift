/// A fragment of a page: HTML that is also well-formed XML. It can only be built from elements and text, and text is
/// escaped.
///
/// ```swift
/// let line = HTML.element("p", ["class": "note"], "loss < 2 %, as ", .element("b", [:], HTML(text: name)))
/// ```
///
/// A string literal is text, not markup.
public struct HTML: Sendable, Equatable, ExpressibleByStringLiteral, ExpressibleByStringInterpolation {
    /// The markup of the fragment.
    public private(set) var source: String

    /// Creates text. A browser shows it as it is, whatever it contains. Characters that are not allowed on a page
    /// (most control characters) become U+FFFD.
    public init(text: String) {
        source = HTML.escaped(text)
    }

    /// Creates text from a literal.
    public init(stringLiteral text: String) {
        self.init(text: text)
    }

    /// Concatenates fragments.
    public init(_ pieces: [HTML]) {
        source = pieces.lazy.map(\.source).joined()
    }

    /// An empty fragment.
    public static let empty = HTML([])

    /// Creates an element with attributes, whose values are escaped, and content.
    ///
    /// Names must be letters, digits and hyphens; others trap.
    ///
    /// - Parameters:
    ///   - name: the name of the element.
    ///   - attributes: the names and values of the attributes, in order.
    ///   - content: the content of the element.
    public static func element(
        _ name: String, _ attributes: KeyValuePairs<String, String> = [:], _ content: HTML...
    ) -> HTML {
        element(name, attributes, content)
    }

    /// Creates an element whose content is a list of fragments.
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

    /// Creates a style sheet or a script, which HTML does not escape. The text must be Rill's own, without the two
    /// characters that XML would escape.
    static func verbatim(_ name: String, _ text: String) -> HTML {
        precondition(!text.contains("<") && !text.contains("&"), "a \(name) on a page has neither < nor &")
        return HTML(markup: "<\(name)>\n\(text)</\(name)>")
    }

    private init(markup: String) {
        source = markup
    }

    /// Elements without content, in HTML by definition, and in SVG as they are used here.
    private static let closed: Set<String> = ["meta", "br", "img", "path", "line", "rect", "circle"]

    private static func checked(_ name: String) -> String {
        let isName = name.utf8.allSatisfy { byte in
            (0x30...0x39).contains(byte) || (0x41...0x5A).contains(byte) || (0x61...0x7A).contains(byte) || byte == 0x2D
        }
        precondition(isName && !name.isEmpty, "\"\(name)\" is not the name of an element or an attribute")
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
            // The characters that XML 1.0 §2.2 excludes, and DEL.
            case "\u{0}"..."\u{1F}", "\u{7F}"..."\u{9F}", "\u{FFFE}", "\u{FFFF}": escaped += "\u{FFFD}"
            default: escaped.unicodeScalars.append(scalar)
            }
        }
        return escaped
    }
}
