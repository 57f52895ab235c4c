import RillCore
import RillThreads

/// A progress bar on the terminal. In a pipe or on a dumb terminal nothing is drawn.
final class ProgressBar {
    private let title: String
    private let total: Int?
    private let unit: String
    private let terminal = Terminal.standardError
    private var lastDrawn = -1.0
    private let clock = LiveClock()

    /// A bar on standard error.
    ///
    /// - Parameters:
    ///   - title: the text before the bar.
    ///   - total: the number of steps, if known.
    ///   - unit: the unit of the steps.
    init(_ title: String, total: Int?, unit: String = "frames") {
        self.title = title
        self.total = total.flatMap { $0 > 0 ? $0 : nil }
        self.unit = unit
    }

    /// Shows that `count` steps are done; draws at most ten times per second.
    func update(_ count: Int) {
        let now = clock.now.seconds
        guard terminal.canRedraw, now - lastDrawn >= 0.1 else { return }
        lastDrawn = now
        draw(count, seconds: now)
    }

    /// Erases the bar.
    func finish() {
        guard terminal.canRedraw, lastDrawn >= 0 else { return }
        StandardError.write(StatusLine.erasure)
    }

    private func draw(_ count: Int, seconds: Double) {
        let rate = Decimal.text(Double(count) / max(seconds, 0.001), decimals: 0)
        let fraction = total.map { Double(count) / Double($0) }
        let figures = (total.map { "\(count)/\($0)" } ?? "\(count)") + " \(unit), \(rate)/s"
        StandardError.write(StatusLine.erasure + Self.line(title, fraction, figures, length: terminal.lineLength))
    }

    /// The line, at most `length` long: the bar is shortened first, then the figures.
    static func line(_ title: String, _ fraction: Double?, _ figures: String, length: Int) -> String {
        guard let fraction else { return [title, figures].fitted(to: length) }
        let rest = title.columnCount + bar(fraction, width: 0).columnCount + figures.columnCount + 3
        return [title + " " + bar(fraction, width: min(32, length - rest)), figures].fitted(to: length)
    }

    /// A fraction of 0 to 1 as a bar and in percent; without the bar if it would be shorter than 4 columns.
    static func bar(_ fraction: Double, width: Int) -> String {
        let width = width < 4 ? 0 : width
        let filled = min(width, Int(fraction * Double(width)))
        let percent = "\(min(100, Int(fraction * 100)))"
        return String(repeating: "█", count: filled) + String(repeating: "░", count: width - filled)
            + String(repeating: " ", count: 4 - percent.count) + percent + " %"
    }
}

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
