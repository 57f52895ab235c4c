/// Rows of values under a header, aligned: words to the left, numbers to the right.
public struct PageTable: Sendable {
    /// The names of the columns, including the first one (the rows' names).
    public var head: [String]
    /// The rows. The first cell is the row's name.
    public private(set) var rows: [[String]] = []
    private var kinds: [RowKind] = []
    private var ratings: [Int: [Rating?]] = [:]
    /// Whether the values are words, which are aligned to the left.
    public var holdsWords: Bool

    private enum RowKind { case plain, detail, group }

    /// The meaning of a value, shown by its color.
    public enum Rating: String, Sendable {
        /// Better than the reference, or as promised.
        case ahead
        /// No difference, or no significant one.
        case level
        /// Worse, or not as promised.
        case behind
    }

    /// Creates a table without rows.
    public init(_ head: [String], holdsWords: Bool = false) {
        self.head = head
        self.holdsWords = holdsWords
    }

    /// Adds a row.
    ///
    /// - Parameters:
    ///   - row: the cells, one per column. The first is the row's name.
    ///   - isDetail: whether the row details the one above, and is indented.
    ///   - ratings: one per cell, or none.
    public mutating func add(_ row: [String], isDetail: Bool = false, ratings: [Rating?] = []) {
        precondition(row.count == head.count, "a row of \(row.count) cells under a head of \(head.count)")
        precondition(
            ratings.isEmpty || ratings.count == row.count, "\(ratings.count) ratings on \(row.count) cells")
        if !ratings.isEmpty { self.ratings[rows.count] = ratings }
        rows.append(row)
        kinds.append(isDetail ? .detail : .plain)
    }

    /// Adds a heading for the rows that follow.
    public mutating func addGroup(_ title: String) {
        rows.append([title])
        kinds.append(.group)
    }

    /// The table as HTML.
    public var html: HTML {
        let heads = head.enumerated().map { index, name in
            HTML.element("th", index == 0 ? [:] : ["scope": "col"], HTML(text: name))
        }
        let body = zip(rows, kinds).enumerated().map { index, line in
            let (row, kind) = line
            guard kind != .group else {
                return HTML.element(
                    "tr", ["class": "group"],
                    .element("th", ["colspan": "\(head.count)", "scope": "colgroup"], HTML(text: row[0])))
            }
            let name = HTML.element("th", ["scope": "row"], HTML(text: row[0]))
            let cells = row.enumerated().dropFirst().map { column, text in
                let rating = ratings[index]?[column]
                return HTML.element("td", rating.map { ["class": "rating \($0)"] } ?? [:], HTML(text: text))
            }
            return HTML.element("tr", kind == .detail ? ["class": "detail"] : [:], [name] + cells)
        }
        // A table wider than the page scrolls, with the focus also by keyboard.
        return .element(
            "div",
            ["class": "scroll", "role": "region", "tabindex": "0", "aria-label": "\(head[0]): scrolls sideways"],
            .element(
                "table", ["class": holdsWords ? "words" : "numbers"],
                .element("thead", [:], .element("tr", [:], heads)), .element("tbody", [:], body)))
    }
}
