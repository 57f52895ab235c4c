import Foundation
import Glibc
import RillCore
import RillThreads
import RillWHIP

/// `rill-http` as a child process: requests go in as lines, and responses come back as lines.
///
/// Threads: the thread `rill-http` reads, and calls the handler. All methods may be called from any thread. The program
/// ends with ``close()``, or with this process.
final class HTTPProgram: Sendable {
    /// What the program says.
    enum Report: Sendable {
        case response(HTTPResponseLine)
        /// It has ended; nothing follows.
        case ended
    }

    private let state: Monitor<State>
    private let reader: NamedThread

    private struct State {
        /// One end of a pair of sockets: a write to a program that has ended is then an error, and not a signal.
        var socket: Int32
        var isClosed = false
    }

    /// The longest line, in bytes: a body in which each byte is escaped.
    private static let maximumLineLength = 2 << 20

    /// Starts the program.
    ///
    /// - Parameters:
    ///   - path: its path.
    ///   - arguments: its arguments.
    ///   - handle: is called with each report.
    /// - Throws: ``CommandError``.
    init(_ path: String, _ arguments: [String], _ handle: @escaping @Sendable (Report) -> Void) throws {
        var pair: [Int32] = [-1, -1]
        guard unsafe socketpair(AF_UNIX, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0, &pair) == 0 else {
            throw CommandError("\(path): \(unsafe String(cString: strerror(errno)))")
        }
        let (ours, theirs) = (pair[0], pair[1])
        defer { Glibc.close(theirs) }
        let child: pid_t
        do { child = try ChildProcess.start([path] + arguments, on: theirs) } catch {
            Glibc.close(ours)
            throw error
        }
        state = Monitor(State(socket: ours))
        reader = NamedThread("rill-http") {
            HTTPProgram.read(ours, handle)
            handle(.ended)
            ChildProcess.end(child)
        }
    }

    /// Sends a request, without waiting. If the program has ended, or takes no more, the handler hears that it has
    /// ended.
    func send(_ request: HTTPRequestLine) {
        // Texts and whole numbers: it cannot fail.
        guard var bytes = (try? JSONEncoder().encode(request)).map(Array.init) else { return }
        bytes.append(10)
        state.withLock { state in
            guard !state.isClosed else { return }
            var rest = bytes[...]
            while !rest.isEmpty {
                let flags = Int32(MSG_NOSIGNAL | MSG_DONTWAIT)
                // The bytes stay where they are during the call.
                let count = unsafe rest.withUnsafeBytes {
                    unsafe Glibc.send(state.socket, $0.baseAddress, $0.count, flags)
                }
                if count < 0, errno == EINTR { continue }
                guard count > 0 else {
                    // Half a line makes the rest useless.
                    shutdown(state.socket, Int32(SHUT_RDWR))
                    return
                }
                rest = rest.dropFirst(count)
            }
        }
    }

    /// Ends the program, and waits for its end. Must not be called by the handler.
    func close() {
        let socket = state.withLock { state -> Int32? in
            guard !state.isClosed else { return nil }
            state.isClosed = true
            return state.socket
        }
        guard let socket else { return }
        // The program sees the end of its input.
        shutdown(socket, Int32(SHUT_RDWR))
        reader.join()
        Glibc.close(socket)
    }

    private static func read(_ socket: Int32, _ handle: (Report) -> Void) {
        var line: [UInt8] = []
        var bytes = [UInt8](repeating: 0, count: 65_536)
        while true {
            let count = unsafe Glibc.read(socket, &bytes, bytes.count)
            if count < 0, errno == EINTR { continue }
            guard count > 0 else { return }
            for (index, part) in bytes[..<count].split(separator: 10, omittingEmptySubsequences: false).enumerated() {
                if index > 0 {
                    // Another line is not a response: nothing waits for it.
                    if let response = try? JSONDecoder().decode(HTTPResponseLine.self, from: Data(line)) {
                        handle(.response(response))
                    }
                    line = []
                }
                line += part
            }
            guard line.count <= maximumLineLength else { return }
        }
    }
}
