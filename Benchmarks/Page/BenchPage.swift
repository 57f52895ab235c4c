import Arguments
import Foundation
import RillPages

/// Makes a page of the results of `Scripts/bench`: `bench-page write` reads them as JSON from standard input, and
/// writes HTML to standard output. ``Block`` lists the elements.
@main
enum BenchPage {
    static func main() {
        Arguments.run("bench-page") { arguments in
            guard arguments.verb == "write" else { throw WrongUse("expected write") }
            let input = FileHandle.standardInput.readDataToEndOfFile()
            let content = try JSONDecoder().decode(Content.self, from: input)
            let page = Page(title: content.title, subtitle: content.subtitle, body: content.blocks.map(\.html))
            try FileHandle.standardOutput.write(contentsOf: Data(page.bytes))
        }
    }

    private struct Content: Decodable {
        var title: String
        var subtitle: String
        var blocks: [Block]
    }
}

/// An element of a page, by its `kind`.
indirect enum Block: Decodable {
    case section(String, [Block])
    case text(String, style: String)
    case list([String])
    /// Text to copy, such as a command.
    case code(title: String, text: String)
    case table(TableContent)
    case plot(PlotContent)
    case ratios(RatioPlot)
    case histogram(HistogramPlot)

    private enum Key: String, CodingKey {
        case kind, title, text, items, blocks
    }

    init(from decoder: any Decoder) throws {
        let values = try decoder.container(keyedBy: Key.self)
        let kind = try values.decode(String.self, forKey: .kind)
        switch kind {
        case "section":
            self = .section(
                try values.decode(String.self, forKey: .title), try values.decode([Block].self, forKey: .blocks))
        case "text", "note", "headline": self = .text(try values.decode(String.self, forKey: .text), style: kind)
        case "list": self = .list(try values.decode([String].self, forKey: .items))
        case "code":
            self = .code(
                title: try values.decode(String.self, forKey: .title),
                text: try values.decode(String.self, forKey: .text))
        case "table": self = .table(try TableContent(from: decoder))
        case "plot": self = .plot(try PlotContent(from: decoder))
        case "ratios": self = .ratios(try RatioPlot(from: decoder))
        case "histogram": self = .histogram(try HistogramPlot(from: decoder))
        default:
            throw DecodingError.dataCorruptedError(forKey: .kind, in: values, debugDescription: "no kind \(kind)")
        }
    }

    var html: HTML {
        switch self {
        case .section(let title, let blocks): .section(title, blocks.map(\.html))
        case .text(let text, let style): .element("p", ["class": style], HTML(text: text))
        case .list(let items): .element("ul", [:], items.map { .element("li", [:], HTML(text: $0)) })
        case .code(let title, let text):
            HTML([.element("h3", [:], HTML(text: title)), .element("pre", [:], HTML(text: text))])
        case .table(let table): table.html
        case .plot(let plot): plot.plot.html
        case .ratios(let plot): plot.html
        case .histogram(let plot): plot.html
        }
    }
}
