import Glibc

/// How a stream of this process is seen: by somebody at a terminal or not, whether what stands there can be drawn over, and
/// how much fits into it. Whatever is written for a terminal asks here, and nothing else looks at the environment for that.
///
/// Nothing that rill writes has a colour, so there is nothing for NO_COLOR to turn off; who adds one asks for
/// ``canRedraw`` and that NO_COLOR is unset or empty (no-color.org).
struct Terminal: Sendable {
    /// Columns and rows.
    struct Size: Equatable {
        var columns: Int
        var rows: Int
    }

    static let standardOutput = Terminal(STDOUT_FILENO)
    static let standardError = Terminal(STDERR_FILENO)

    /// Whether somebody sees it, and not a file or another program.
    let isSeen: Bool
    /// Whether the cursor goes back where it is told to: not in a pipe, nor on a terminal that says it cannot (TERM).
    let canRedraw: Bool
    /// What holds where the terminal does not say its size, as over a serial line.
    let usualSize: Size
    private let descriptor: Int32

    private init(_ descriptor: Int32) {
        self.init(descriptor, isTerminal: isatty(descriptor) == 1) { name in
            // The text is copied at once, and nobody changes the environment.
            unsafe getenv(name).map { unsafe String(cString: $0) }
        }
    }

    /// The decision itself.
    ///
    /// - Parameter environment: the value of a variable; `nil` where it is unset.
    init(_ descriptor: Int32 = -1, isTerminal: Bool, environment: (String) -> String?) {
        func count(_ name: String) -> Int? { environment(name).flatMap { Int($0) }.flatMap { $0 > 0 ? $0 : nil } }
        self.descriptor = descriptor
        isSeen = isTerminal
        canRedraw = isTerminal && !["", "dumb"].contains(environment("TERM") ?? "")
        usualSize = Size(columns: count("COLUMNS") ?? 80, rows: count("LINES") ?? 24)
    }

    /// As the terminal says it now: it may be another one than a moment ago.
    var size: Size {
        var reported = winsize()
        // The call fills the structure in, or fails and leaves it.
        _ = unsafe ioctl(descriptor, UInt(TIOCGWINSZ), &reported)
        return size(reported: Size(columns: Int(reported.ws_col), rows: Int(reported.ws_row)))
    }

    /// What the terminal says, where it says something.
    func size(reported: Size) -> Size {
        Size(
            columns: reported.columns > 0 ? reported.columns : usualSize.columns,
            rows: reported.rows > 0 ? reported.rows : usualSize.rows)
    }

    /// How long a line may be that must not wrap. The last column stays free: some terminals wrap as soon as it is taken.
    var lineLength: Int { size.columns - 1 }

    /// How wide a table may be; `nil` for any width, in files and pipes.
    var tableWidth: Int? { isSeen ? size.columns : nil }
}
