/// A status line on standard error, redrawn in place. In a pipe or on a dumb terminal, each status is a line of its
/// own.
struct StatusLine: Sendable {
    private let terminal = Terminal.standardError

    /// Shows the parts of a line; those that do not fit in the terminal are left out.
    func show(_ parts: [String]) {
        StandardError.write(Self.text(parts, on: terminal.canRedraw ? terminal.lineLength : nil))
    }

    /// Erases the line, so that other lines can be printed.
    func clear() { if terminal.canRedraw { StandardError.write(Self.erasure) } }

    /// The text to write; `length` is the line length of the terminal, `nil` if it cannot redraw.
    static func text(_ parts: [String], on length: Int?) -> String {
        length.map { erasure + parts.fitted(to: $0) } ?? parts.joined(separator: "  ") + "\n"
    }

    /// Returns to the start of the line, and erases it.
    static let erasure = "\r\u{1B}[K"
}
