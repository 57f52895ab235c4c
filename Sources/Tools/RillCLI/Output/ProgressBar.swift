import Glibc

/// A progress bar on the terminal. In a pipe or on a dumb terminal nothing is drawn.
final class ProgressBar {
    private let title: String
    private let total: Int?
    private let unit: String
    private let terminal = Terminal.standardError
    private var lastDrawn = -1.0
    private let start = ProgressBar.now()

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
        let now = ProgressBar.now()
        guard terminal.canRedraw, now - lastDrawn >= 0.1 else { return }
        lastDrawn = now
        draw(count, seconds: now - start)
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

    private static func now() -> Double {
        var moment = timespec()
        unsafe clock_gettime(CLOCK_MONOTONIC, &moment)
        return Double(moment.tv_sec) + Double(moment.tv_nsec) / 1e9
    }
}
