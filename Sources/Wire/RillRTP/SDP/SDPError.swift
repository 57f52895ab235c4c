/// Errors in the text of a session description, with the line number (from 1) if it applies.
///
/// ``RTPError`` reports positions in bytes; for a text the line is more useful.
public enum SDPError: Error, Equatable, Sendable {
    /// The text has no lines.
    case empty
    /// The text is longer than ``SessionDescription/maximumByteCount``.
    case tooLarge(byteCount: Int, limit: Int)
    /// The line is not a letter, an equals sign and a value.
    case notALine(line: Int, text: String)
    /// The value of a line or attribute is invalid.
    case invalidValue(line: Int, field: String, value: String)
    /// A line or attribute that may occur once occurs again.
    case repeated(line: Int, field: String)
}

extension SDPError: CustomStringConvertible {
    /// A description of the error in one line.
    public var description: String {
        switch self {
        case .empty:
            "the session description is empty"
        case .tooLarge(let byteCount, let limit):
            "a session description of \(byteCount) bytes; the limit is \(limit)"
        case .notALine(let line, let text):
            "line \(line) of the session description, \"\(text)\", is not of the form x=value"
        case .invalidValue(let line, let field, let value):
            "line \(line) of the session description has an invalid \(field): \"\(value)\""
        case .repeated(let line, let field):
            "line \(line) of the session description repeats \(field)"
        }
    }
}
