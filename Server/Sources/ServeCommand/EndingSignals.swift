import Glibc
import UnixSignals

/// The signals that end a server, and its sessions first.
enum EndingSignals {
    /// SIGTERM, SIGINT, and SIGHUP for a terminal that is closed. `nohup` ignores SIGHUP, and then so does the server.
    ///
    /// Ask before signals are handled.
    static var all: [UnixSignal] { [.sigterm, .sigint] + (isIgnored(SIGHUP) ? [] : [.sighup]) }

    /// Whether the process that started this one ignores a signal.
    private static func isIgnored(_ number: Int32) -> Bool {
        var action = sigaction()
        guard unsafe sigaction(number, nil, &action) == 0 else { return false }
        // The handler is a number: 0 for the default, 1 for none, or the address of a function.
        return unsafe unsafeBitCast(action.__sigaction_handler.sa_handler, to: Int.self)
            == unsafeBitCast(SIG_IGN, to: Int.self)
    }
}
