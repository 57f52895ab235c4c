/// Why something could not be measured.
enum BenchError: Error, CustomStringConvertible {
    /// The system would not start a program.
    case notStarted(program: String, code: Int32)
    /// The system refused something with a file or folder: what, which, and its errno.
    case fileFailed(String, path: String, code: Int32)
    /// A program ended with an error, or by a signal (128 and its number).
    case failed(program: String, status: Int32, output: String)
    /// A program was still at work after its time.
    case overdue(program: String, seconds: Double)
    /// Callgrind's file holds no sum.
    case noSum(path: String)
    /// A program that measures itself did not print one of its figures.
    case unclear(missing: String)
    /// A program printed a line that is none of its own.
    case unreadable(line: Int, text: String)
    /// Ctrl-C.
    case interrupted

    var description: String {
        switch self {
        case .notStarted(let program, let code): "\(program) cannot be started (errno \(code))"
        case .fileFailed(let operation, let path, let code): "\(operation) \(path) failed (errno \(code))"
        case .failed(let program, let status, let output):
            "\(program) ended with \(status)" + (output.isEmpty ? "" : ": \(output)")
        case .overdue(let program, let seconds): "\(program) was not done after \(Int(seconds)) s, and was ended"
        case .noSum(let path): "callgrind wrote no sum into \(path)"
        case .unclear(let name): "what was measured did not say its \(name)"
        case .unreadable(let line, let text): "line \(line) of what was printed cannot be read: \(text)"
        case .interrupted: "interrupted"
        }
    }
}
