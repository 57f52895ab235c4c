/// Rows of words in aligned columns: those of text to the left, the others to the right, a rule under the head.
struct TextTable {
    private var rows: [[String]]
    private let textColumns: Set<Int>

    /// A table with that head, whose length is the number of columns. Numbers stand to the right: columns of text are named.
    init(_ head: [String], textColumns: Set<Int> = [0]) {
        rows = [head]
        self.textColumns = textColumns
    }

    /// Adds a row; missing cells at its end are empty.
    mutating func add(_ row: [String]) {
        rows.append(row)
    }

    /// The table as lines of text, without a line break at the end.
    var text: String {
        let columns = rows.map(\.count).max() ?? 0
        let widths = (0..<columns).map { column in
            rows.map { column < $0.count ? $0[column].count : 0 }.max() ?? 0
        }
        var lines = rows.map { row in
            widths.indices.map { column in
                let cell = column < row.count ? row[column] : ""
                let space = String(repeating: " ", count: widths[column] - cell.count)
                return textColumns.contains(column) ? cell + space : space + cell
            }.joined(separator: "  ").trimmingTrailingSpaces()
        }
        lines.insert(String(repeating: "─", count: widths.reduce(0, +) + 2 * max(0, columns - 1)), at: 1)
        return lines.joined(separator: "\n")
    }
}

extension String {
    fileprivate func trimmingTrailingSpaces() -> String {
        var text = self
        while text.last == " " { text.removeLast() }
        return text
    }
}
