/// Rows of values under a head, aligned: words to the left, numbers to the right.
public struct PageTable: Sendable {
    /// The names of the columns, that of the first one (the rows' names) too.
    public var head: [String]
    /// The rows; the first cell is the row's name.
    public private(set) var rows: [[String]] = []
    private var kinds: [RowKind] = []
    /// Whether the values are words, which stand to the left.
    public var holdsWords: Bool

    private enum RowKind { case plain, detail, group }

    /// A table without rows.
    public init(_ head: [String], holdsWords: Bool = false) {
        self.head = head
        self.holdsWords = holdsWords
    }

    /// Adds a row.
    ///
    /// - Parameter isDetail: it says more of the row above, and is set in.
    public mutating func add(_ row: [String], isDetail: Bool = false) {
        precondition(row.count == head.count, "a row of \(row.count) cells under a head of \(head.count)")
        rows.append(row)
        kinds.append(isDetail ? .detail : .plain)
    }

    /// Adds a heading for the rows that follow.
    public mutating func addGroup(_ title: String) {
        rows.append([title])
        kinds.append(.group)
    }

    /// The table as it stands on the page.
    public var html: HTML {
        let heads = head.enumerated().map { index, name in
            HTML.element("th", index == 0 ? [:] : ["scope": "col"], HTML(text: name))
        }
        let body = zip(rows, kinds).map { row, kind in
            guard kind != .group else {
                return HTML.element(
                    "tr", ["class": "group"],
                    .element("th", ["colspan": "\(head.count)", "scope": "colgroup"], HTML(text: row[0])))
            }
            let name = HTML.element("th", ["scope": "row"], HTML(text: row[0]))
            let cells = row.dropFirst().map { HTML.element("td", [:], HTML(text: $0)) }
            return HTML.element("tr", kind == .detail ? ["class": "detail"] : [:], [name] + cells)
        }
        return .element(
            "div", ["class": "scroll"],
            .element(
                "table", ["class": holdsWords ? "words" : "numbers"],
                .element("thead", [:], .element("tr", [:], heads)), .element("tbody", [:], body)))
    }
}
