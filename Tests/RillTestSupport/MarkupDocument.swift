package import Foundation
package import FoundationXML

/// A page read by a strict parser of XML: libxml2, by Foundation.
package final class MarkupDocument: NSObject, XMLParserDelegate {
    package struct Element {
        package var name: String
        package var attributes: [String: String]
        /// All that it holds, markup left out.
        package var text = ""
    }

    package private(set) var elements: [Element] = []
    private var open: [Int] = []

    /// Throws where the text is not well-formed.
    package init(_ source: String) throws {
        super.init()
        let parser = XMLParser(data: Data(source.utf8))
        parser.delegate = self
        guard parser.parse() else {
            throw TestFailure("line \(parser.lineNumber): \(parser.parserError.map { "\($0)" } ?? "no reason given")")
        }
    }

    package func named(_ name: String) -> [Element] { elements.filter { $0.name == name } }

    package func parser(
        _ parser: XMLParser, didStartElement name: String, namespaceURI: String?, qualifiedName: String?,
        attributes: [String: String]
    ) {
        open.append(elements.count)
        elements.append(Element(name: name, attributes: attributes))
    }

    package func parser(_ parser: XMLParser, didEndElement name: String, namespaceURI: String?, qualifiedName: String?)
    {
        open.removeLast()
    }

    package func parser(_ parser: XMLParser, foundCharacters text: String) {
        for index in open { elements[index].text += text }
    }
}
