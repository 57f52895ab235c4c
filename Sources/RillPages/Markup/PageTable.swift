/// Rows of values under a head, aligned: words to the left, numbers to the right.
public struct PageTable: Sendable {
    /// The names of the columns, that of the first one (the rows' names) too.
    public var head: [String]
    /// The rows; the first cell is the row's name.
    public private(set) var rows: [[String]] = []
    private var kinds: [RowKind] = []
    private var verdicts: [Int: [Verdict?]] = [:]
    /// Whether the values are words, which stand to the left.
    public var holdsWords: Bool

    private enum RowKind { case plain, detail, group }

    /// What a value means, which is its colour.
    public enum Verdict: String, Sendable {
        /// Better than what it is compared with, or as promised.
        case ahead
        /// No difference, or none that can be told.
        case level
        /// Worse, or not as promised.
        case behind
    }

    /// A table without rows.
    public init(_ head: [String], holdsWords: Bool = false) {
        self.head = head
        self.holdsWords = holdsWords
    }

    /// Adds a row.
    ///
    /// - Parameters:
    ///   - isDetail: it says more of the row above, and is set in.
    ///   - verdicts: one for each cell, or none.
    public mutating func add(_ row: [String], isDetail: Bool = false, verdicts: [Verdict?] = []) {
        precondition(row.count == head.count, "a row of \(row.count) cells under a head of \(head.count)")
        precondition(
            verdicts.isEmpty || verdicts.count == row.count, "\(verdicts.count) verdicts on \(row.count) cells")
        if !verdicts.isEmpty { self.verdicts[rows.count] = verdicts }
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
        let body = zip(rows, kinds).enumerated().map { index, line in
            let (row, kind) = line
            guard kind != .group else {
                return HTML.element(
                    "tr", ["class": "group"],
                    .element("th", ["colspan": "\(head.count)", "scope": "colgroup"], HTML(text: row[0])))
            }
            let name = HTML.element("th", ["scope": "row"], HTML(text: row[0]))
            let cells = row.enumerated().dropFirst().map { column, text in
                let verdict = verdicts[index]?[column]
                return HTML.element("td", verdict.map { ["class": "verdict \($0)"] } ?? [:], HTML(text: text))
            }
            return HTML.element("tr", kind == .detail ? ["class": "detail"] : [:], [name] + cells)
        }
        // Where it is wider than the page it scrolls: by the keyboard too, once it has the focus.
        return .element(
            "div",
            ["class": "scroll", "role": "region", "tabindex": "0", "aria-label": "\(head[0]): scrolls sideways"],
            .element(
                "table", ["class": holdsWords ? "words" : "numbers"],
                .element("thead", [:], .element("tr", [:], heads)), .element("tbody", [:], body)))
    }
}
