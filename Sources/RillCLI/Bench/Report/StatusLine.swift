import Glibc

/// What is being done, on a line of the terminal that the next one replaces. On anything but a terminal it stays silent.
final class StatusLine {
    private let isShown = isatty(STDERR_FILENO) == 1

    func show(_ text: String) {
        if isShown { StandardError.write("\r\u{1B}[K\(text)") }
    }

    func clear() {
        if isShown { StandardError.write("\r\u{1B}[K") }
    }
}
