import Glibc
import RillPages

/// A line on the terminal that grows while long work is done. On anything but a terminal it stays silent.
final class ProgressBar {
    private let title: String
    private let total: Int?
    private let unit: String
    private let isShown: Bool
    private var lastDrawn = -1.0
    private let start = ProgressBar.now()

    /// A bar on standard error.
    ///
    /// - Parameters:
    ///   - total: how many steps there will be, where that is known.
    ///   - unit: what is counted.
    init(_ title: String, total: Int?, unit: String = "frames") {
        self.title = title
        self.total = total.flatMap { $0 > 0 ? $0 : nil }
        self.unit = unit
        self.isShown = isatty(STDERR_FILENO) == 1
    }

    /// Shows that `count` steps are done; draws ten times a second at the most.
    func update(_ count: Int) {
        let now = ProgressBar.now()
        guard isShown, now - lastDrawn >= 0.1 else { return }
        lastDrawn = now
        draw(count, seconds: now - start)
    }

    /// Takes the bar away.
    func finish() {
        guard isShown, lastDrawn >= 0 else { return }
        write("\r\u{1B}[K")
    }

    private func draw(_ count: Int, seconds: Double) {
        let rate = Decimal.text(Double(count) / max(seconds, 0.001), decimals: 0)
        guard let total else {
            write("\r\u{1B}[K\(title)  \(count) \(unit), \(rate)/s")
            return
        }
        let bar = Self.bar(Double(count) / Double(total))
        write("\r\u{1B}[K\(title) \(bar)  \(count)/\(total) \(unit), \(rate)/s")
    }

    /// A share of 0 to 1 as a bar, and in percent.
    static func bar(_ fraction: Double, width: Int = 32) -> String {
        let filled = min(width, Int(fraction * Double(width)))
        let percent = "\(min(100, Int(fraction * 100)))"
        return String(repeating: "█", count: filled) + String(repeating: "░", count: width - filled)
            + String(repeating: " ", count: 4 - percent.count) + percent + " %"
    }

    private func write(_ text: String) {
        StandardError.write(text)
    }

    private static func now() -> Double {
        var moment = timespec()
        unsafe clock_gettime(CLOCK_MONOTONIC, &moment)
        return Double(moment.tv_sec) + Double(moment.tv_nsec) / 1e9
    }
}
