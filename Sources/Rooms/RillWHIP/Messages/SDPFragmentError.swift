/// Why a text is not a fragment of a session description, with the line's number (from 1) where there is one.
public enum SDPFragmentError: Error, Equatable, Sendable {
    /// The text has no line about ICE.
    case empty
    /// The text is longer than ``SDPFragment/maximumByteCount``.
    case tooLong(byteCount: Int, limit: Int)
    /// The line is not a letter, an equals sign and a value, or has control characters.
    case notALine(line: Int)
    /// The line's letter is one that fragments do not have: only `a` and `m` are allowed.
    case unexpectedLine(line: Int, type: String)
    /// ice-ufrag or ice-pwd has a length or characters that it cannot have.
    case invalidCredential(line: Int, byteCount: Int, allowed: ClosedRange<Int>)
    /// ice-ufrag, ice-pwd or a section's mid is there again, with another value.
    case contradiction(line: Int, attribute: String)
    /// The mid is empty, longer than its limit, or has a space.
    case invalidIdentification(line: Int, byteCount: Int, limit: Int)
    /// The candidate is longer than its limit, or empty.
    case invalidCandidate(line: Int, byteCount: Int, limit: Int)
    /// There are more sections than there may be.
    case tooManySections(limit: Int)
    /// There are more candidates than there may be.
    case tooManyCandidates(limit: Int)
}

extension SDPFragmentError: CustomStringConvertible {
    /// A description of the error in one line.
    public var description: String {
        switch self {
        case .empty:
            "the fragment has neither credentials nor sections"
        case .tooLong(let byteCount, let limit):
            "a fragment of \(byteCount) bytes; the limit is \(limit)"
        case .notALine(let line):
            "line \(line) of the fragment is not of the form x=value"
        case .unexpectedLine(let line, let type):
            "line \(line) of the fragment begins with \(type)=; a fragment has only a= and m="
        case .invalidCredential(let line, let byteCount, let allowed):
            "line \(line) of the fragment has a credential of \(byteCount) bytes;"
                + " it has \(allowed.lowerBound) to \(allowed.upperBound) letters, digits, + and /"
        case .contradiction(let line, let attribute):
            "line \(line) of the fragment contradicts an earlier \(attribute)"
        case .invalidIdentification(let line, let byteCount, let limit):
            "line \(line) of the fragment has a mid of \(byteCount) bytes; it is a word of 1 to \(limit)"
        case .invalidCandidate(let line, let byteCount, let limit):
            "line \(line) of the fragment has a candidate of \(byteCount) bytes; the limit is \(limit)"
        case .tooManySections(let limit):
            "the fragment has more than \(limit) sections"
        case .tooManyCandidates(let limit):
            "the fragment has more than \(limit) candidates"
        }
    }
}
