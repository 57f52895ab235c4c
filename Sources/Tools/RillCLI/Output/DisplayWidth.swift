/// The number of terminal columns that text takes. East Asian characters and emoji take two, so a count of characters
/// does not prevent wrapping.
extension String {
    var columnCount: Int { reduce(0) { $0 + $1.columnCount } }

    /// The prefix that fits, for a line that is redrawn. Control characters, as in a file name, are replaced: they
    /// would move the cursor.
    func fitted(to columns: Int) -> String {
        var (text, left) = ("", columns)
        for character in self {
            let shown = character.isControl ? "?" : character
            left -= shown.columnCount
            guard left >= 0 else { break }
            text.append(shown)
        }
        return text
    }
}

extension [String] {
    /// As many complete parts as fit in a line, so that no figure is cut; the first part is cut if necessary.
    func fitted(to columns: Int, separator: String = "  ") -> String {
        var line = first?.fitted(to: columns) ?? ""
        for part in dropFirst() {
            let longer = line + separator + part.fitted(to: .max)
            guard longer.columnCount <= columns else { break }
            line = longer
        }
        return line
    }
}

extension Character {
    /// C0, DEL and C1.
    fileprivate var isControl: Bool {
        unicodeScalars.contains { $0.value < 0x20 || (0x7F..<0xA0).contains($0.value) }
    }

    /// Two for wide characters (UAX #11) and emoji, otherwise one; accents belong to their letter.
    fileprivate var columnCount: Int {
        guard let scalar = unicodeScalars.first, scalar.value >= 0x1100 else { return 1 }
        if scalar.properties.isEmojiPresentation || unicodeScalars.contains("\u{FE0F}") { return 2 }
        return Character.wide.contains { $0.contains(scalar.value) } ? 2 : 1
    }

    private static let wide: [ClosedRange<UInt32>] = [
        0x1100...0x115F, 0x2E80...0x303E, 0x3041...0xA4CF, 0xA960...0xA97F, 0xAC00...0xD7A3, 0xF900...0xFAFF,
        0xFE30...0xFE6F, 0xFF00...0xFF60, 0xFFE0...0xFFE6, 0x1F300...0x1F64F, 0x1F900...0x1F9FF, 0x20000...0x3FFFD,
    ]
}
