/// Why a text is no session description that Rill can read, with the line (counted from 1) where that shows.
///
/// The wire's other errors, ``RTPError``, count bytes; whoever looks for a fault in a text wants its line.
public enum SDPError: Error, Equatable, Sendable {
    /// The text has no line at all.
    case empty
    /// The text is longer than ``SessionDescription/maximumByteCount``.
    case tooLarge(byteCount: Int, limit: Int)
    /// The line is not a letter, an equals sign and a value.
    case notALine(line: Int, text: String)
    /// The value of a line or attribute is not what its name asks for.
    case invalidValue(line: Int, field: String, value: String)
    /// What can be said once is said a second time.
    case repeated(line: Int, field: String)
}

extension SDPError: CustomStringConvertible {
    /// What is wrong, in one line.
    public var description: String {
        switch self {
        case .empty:
            "the session description is empty"
        case .tooLarge(let byteCount, let limit):
            "a session description of \(byteCount) bytes; at most \(limit) are read"
        case .notALine(let line, let text):
            "line \(line) of the session description, \"\(text)\", is not of the form x=value"
        case .invalidValue(let line, let field, let value):
            "line \(line) of the session description says \"\(value)\" as \(field), which cannot be"
        case .repeated(let line, let field):
            "line \(line) of the session description gives \(field) a second time"
        }
    }
}
