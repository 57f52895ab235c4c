/// A table with aligned columns: text to the left, numbers to the right, a rule below the head. On a terminal that is
/// too narrow for the table, a list.
struct TextTable {
    private var rows: [[String]]
    private let textColumns: Set<Int>

    /// Creates a table with that head. `textColumns` are the indices of the columns that are aligned to the left.
    init(_ head: [String], textColumns: Set<Int> = [0]) {
        rows = [head]
        self.textColumns = textColumns
    }

    /// Adds a row; missing cells at its end are empty.
    mutating func add(_ row: [String]) {
        rows.append(row)
    }

    /// The table for standard output, without a line break at the end.
    var text: String { text(on: .standardOutput) }

    /// The table for a terminal.
    func text(on terminal: Terminal) -> String { text(width: terminal.tableWidth) }

    /// The table, or the list if the table is wider than `width`; `nil` for any width.
    func text(width: Int?) -> String {
        let table = table
        guard let width, table.contains(where: { $0.columnCount > width }) else { return table.joined(separator: "\n") }
        return list(width: width).joined(separator: "\n")
    }

    private var table: [String] {
        let columns = rows.map(\.count).max() ?? 0
        let widths = (0..<columns).map { column in
            rows.map { column < $0.count ? $0[column].columnCount : 0 }.max() ?? 0
        }
        var lines = rows.map { row in
            widths.indices.map { column in
                let cell = column < row.count ? row[column] : ""
                let space = String(repeating: " ", count: widths[column] - cell.columnCount)
                return textColumns.contains(column) ? cell + space : space + cell
            }.joined(separator: "  ").trimmingTrailingSpaces()
        }
        lines.insert(String(repeating: "─", count: widths.reduce(0, +) + 2 * max(0, columns - 1)), at: 1)
        return lines
    }

    /// For each row its first cell, and below it the other cells, after the names of their columns.
    private func list(width: Int) -> [String] {
        let names = rows[0].dropFirst()
        let nameWidth = names.map(\.columnCount).max() ?? 0
        let title = rows[0][0]
        var lines = title.isEmpty ? [] : [title, String(repeating: "─", count: min(width, title.columnCount))]
        for row in rows.dropFirst() {
            if let first = row.first, !first.isEmpty { lines.append(first.trimmingTrailingSpaces()) }
            for (name, cell) in zip(names, row.dropFirst()) where !cell.isEmpty {
                let space = String(repeating: " ", count: nameWidth - name.columnCount)
                lines.append(nameWidth == 0 ? "  " + cell : "  \(name)\(space)  \(cell)")
            }
        }
        return lines
    }
}

extension String {
    fileprivate func trimmingTrailingSpaces() -> String {
        var text = self
        while text.last == " " { text.removeLast() }
        return text
    }
}

/// Formats decimal numbers without Foundation's locales, so that programs can parse the output.
enum Decimal {
    /// Formats `value` with that many decimals, rounded to nearest; `–` if there is none.
    static func text(_ value: Double?, decimals: Int) -> String {
        guard let value, value.isFinite, value.magnitude < 1e15 else { return "–" }
        let scale = (0..<decimals).reduce(1.0) { scale, _ in scale * 10 }
        let scaled = Int64((value.magnitude * scale).rounded())
        let sign = value < 0 && scaled != 0 ? "-" : ""
        guard decimals > 0 else { return "\(sign)\(scaled)" }
        let fraction = String(scaled % Int64(scale))
        return "\(sign)\(scaled / Int64(scale))." + String(repeating: "0", count: decimals - fraction.count) + fraction
    }

    /// Formats a fraction of one in percent: `98.5 %`.
    static func percent(_ share: Double) -> String { text(share * 100, decimals: 1) + " %" }
}
