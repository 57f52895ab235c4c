import Glibc

/// The terminal properties of an output stream: whether it is a terminal, whether it can redraw lines, and its size.
/// All terminal output uses this type; no other code reads the environment for it.
///
/// rill writes no colors, so NO_COLOR has no effect. Code that adds colors must check ``canRedraw``, and that NO_COLOR
/// is unset or empty (no-color.org).
struct Terminal: Sendable {
    /// Columns and rows.
    struct Size: Equatable {
        var columns: Int
        var rows: Int
    }

    static let standardOutput = Terminal(STDOUT_FILENO)
    static let standardError = Terminal(STDERR_FILENO)

    /// Whether it is a terminal, not a file or a pipe.
    let isSeen: Bool
    /// Whether the cursor can be moved: not in a pipe, and not on a dumb terminal (TERM).
    let canRedraw: Bool
    /// The size if the terminal does not report one, as over a serial line.
    let usualSize: Size
    private let descriptor: Int32

    private init(_ descriptor: Int32) {
        self.init(descriptor, isTerminal: isatty(descriptor) == 1) { name in
            // The text is copied at once, and the process never changes its environment.
            unsafe getenv(name).map { unsafe String(cString: $0) }
        }
    }

    /// Creates the properties from their inputs, for tests.
    ///
    /// - Parameters:
    ///   - descriptor: the file descriptor; -1 has no size of its own.
    ///   - isTerminal: whether the stream is a terminal.
    ///   - environment: returns the value of a variable; `nil` if it is unset.
    init(_ descriptor: Int32 = -1, isTerminal: Bool, environment: (String) -> String?) {
        func count(_ name: String) -> Int? { environment(name).flatMap { Int($0) }.flatMap { $0 > 0 ? $0 : nil } }
        self.descriptor = descriptor
        isSeen = isTerminal
        canRedraw = isTerminal && !["", "dumb"].contains(environment("TERM") ?? "")
        usualSize = Size(columns: count("COLUMNS") ?? 80, rows: count("LINES") ?? 24)
    }

    /// The present size of the terminal, which may change at any time.
    var size: Size {
        var reported = winsize()
        // The call fills the structure in, or fails and leaves it.
        _ = unsafe ioctl(descriptor, UInt(TIOCGWINSZ), &reported)
        return size(reported: Size(columns: Int(reported.ws_col), rows: Int(reported.ws_row)))
    }

    /// The reported size, or the usual one where nothing is reported.
    func size(reported: Size) -> Size {
        Size(
            columns: reported.columns > 0 ? reported.columns : usualSize.columns,
            rows: reported.rows > 0 ? reported.rows : usualSize.rows)
    }

    /// The length of a line that must not wrap. The last column stays free: some terminals wrap when it is written.
    var lineLength: Int { size.columns - 1 }

    /// The maximum width of a table; `nil` for any width, in files and pipes.
    var tableWidth: Int? { isSeen ? size.columns : nil }
}
