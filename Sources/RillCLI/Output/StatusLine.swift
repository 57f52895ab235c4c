/// A line of figures on standard error that gives way to the next one. Where nothing can be drawn over, in a pipe or on a dumb
/// terminal, they stand one below the other.
struct StatusLine: Sendable {
    private let terminal = Terminal.standardError

    /// Shows parts of a line, of which those that the terminal is too narrow for are left out.
    func show(_ parts: [String]) {
        StandardError.write(Self.text(parts, on: terminal.canRedraw ? terminal.lineLength : nil))
    }

    /// Takes the line away, so that others can be written.
    func clear() { if terminal.canRedraw { StandardError.write(Self.erasure) } }

    /// What is written; `length` is that of a line that can be drawn over.
    static func text(_ parts: [String], on length: Int?) -> String {
        length.map { erasure + parts.fitted(to: $0) } ?? parts.joined(separator: "  ") + "\n"
    }

    /// Back to the beginning of the line, and all of it gone.
    static let erasure = "\r\u{1B}[K"
}
