public import RillCore

/// Errors of ICE's descriptions and limits, with the numbers that show the problem.
public enum ICEError: Error, Equatable, Sendable {
    /// A username fragment has another length than 4 to 256 bytes; our own have at most 32 (RFC 8839 §5.4).
    case invalidUsernameFragment(byteCount: Int)
    /// A password has another length than 22 to 256 bytes.
    case invalidPassword(byteCount: Int)
    /// A byte is not a letter, a digit, `+` or `/`.
    case invalidCharacter(UInt8, offset: Int)
    /// The text of a candidate ends before its first eight fields do.
    case truncatedCandidate(fieldCount: Int)
    /// A field of a candidate has a value that it cannot have.
    case invalidCandidate(ICECandidateField, String)
    /// The credentials of the remote side changed without a restart of this side.
    case changedCredentials
    /// A local candidate is one too many.
    case tooManyCandidates(limit: Int)
    /// A socket already belongs to a local candidate of that address.
    case duplicateCandidate(UDPAddress)
    /// Another agent of the port has the same username fragment: draw new credentials.
    case usernameFragmentInUse(String)
    /// The port has as many agents as it takes.
    case tooManyPeers(limit: Int)
}

/// The fields of a candidate's text, in their order.
public enum ICECandidateField: String, Hashable, Sendable {
    /// 1 to 32 letters, digits, `+` or `/`.
    case foundation
    /// 1 to 256; RTP, with multiplexed RTCP, is 1.
    case component
    /// 1 to 2^32 - 1.
    case priority
    /// A numeric address.
    case address
    /// 1 to 65535.
    case port
    /// The word `typ` and a type.
    case type = "typ"
}

extension ICEError: CustomStringConvertible {
    /// A description of the error in one sentence.
    public var description: String {
        switch self {
        case .invalidUsernameFragment(let count):
            "a username fragment of \(count) bytes: it has 4 to 256, and one of ours at most 32"
        case .invalidPassword(let count):
            "an ICE password of \(count) bytes: it has 22 to 256"
        case .invalidCharacter(let byte, let offset):
            "byte \(byte) at \(offset): only letters, digits, + and / are allowed"
        case .truncatedCandidate(let count):
            "a candidate of \(count) fields: it has at least 8"
        case .invalidCandidate(let field, let text):
            "\"\(text)\" is not the \(field.rawValue) of a candidate"
        case .changedCredentials:
            "the remote credentials changed: restart this side too"
        case .tooManyCandidates(let limit):
            "more than \(limit) local candidates"
        case .duplicateCandidate(let address):
            "\(address) is a candidate of the same socket already"
        case .usernameFragmentInUse(let fragment):
            "the username fragment \(fragment) is in use: draw new credentials"
        case .tooManyPeers(let limit):
            "the port has \(limit) peers already"
        }
    }
}
