/// A fragment of a session description: candidates that are trickled, or the credentials of an ICE restart (RFC 8840
/// §9, `application/trickle-ice-sdpfrag`).
public struct SDPFragment: Equatable, Sendable {
    /// ice-ufrag, 4 to 256 characters; `nil` if the fragment has none.
    public var usernameFragment: String?
    /// ice-pwd, 22 to 256 characters; `nil` if the fragment has none.
    public var password: String?
    /// The sections with their candidates, in order.
    public var sections: [Section]

    /// The candidates of one section.
    public struct Section: Equatable, Sendable {
        /// The section's identification; `nil` if the fragment names none.
        public var mid: String?
        /// The candidates as `RTCIceCandidate.candidate` has them: `candidate:…`.
        public var candidates: [String]
        /// Whether these are all candidates (end-of-candidates).
        public var isEnd: Bool

        /// A section with these parts.
        public init(mid: String?, candidates: [String] = [], isEnd: Bool = false) {
            (self.mid, self.candidates, self.isEnd) = (mid, candidates, isEnd)
        }
    }

    /// A fragment with these parts.
    public init(usernameFragment: String? = nil, password: String? = nil, sections: [Section] = []) {
        (self.usernameFragment, self.password, self.sections) = (usernameFragment, password, sections)
    }

    /// The longest text that is read, in bytes.
    public static let maximumByteCount = 1 << 16
    /// The most sections that are read.
    public static let maximumSectionCount = 32
    /// The most candidates that are read, of all sections.
    public static let maximumCandidateCount = 256

    /// Parses a fragment (RFC 8840 §9):
    ///
    /// ```text
    /// a=ice-ufrag:EsAw
    /// a=ice-pwd:P2uYro0UCOQ4zxjKXaWCBui1
    /// m=audio 9 UDP/TLS/RTP/SAVPF 0
    /// a=mid:0
    /// a=candidate:1387637174 1 udp 2122260223 192.0.2.1 61764 typ host generation 0 ufrag EsAw
    /// a=end-of-candidates
    /// ```
    ///
    /// Any line ending is accepted, empty lines are skipped. The credentials may be in a section instead. If they are
    /// repeated, they must be equal, because the sections are bundled. Other attributes are ignored, and so is the
    /// content of m= lines: such a line only starts a section. Candidates are not validated.
    ///
    /// - Parameter text: the body of a request or response.
    /// - Throws: any case of ``SDPFragmentError``.
    public init(parsing text: String) throws(SDPFragmentError) {
        try self.init(text, isLenient: false)
    }

    /// The fragment that a whole description has: its credentials, and the candidates of its sections. A client reads a
    /// server's fragment so, too. Other lines are skipped, and credentials may have any visible characters.
    ///
    /// - Throws: as ``init(parsing:)``, except `unexpectedLine`.
    init(ofDescription text: String) throws(SDPFragmentError) {
        try self.init(text, isLenient: true)
    }

    private init(_ text: String, isLenient: Bool) throws(SDPFragmentError) {
        let byteCount = text.utf8.count
        guard byteCount <= Self.maximumByteCount else {
            throw .tooLong(byteCount: byteCount, limit: Self.maximumByteCount)
        }
        var parser = FragmentParser(isLenient: isLenient)
        for line in text.utf8.split(omittingEmptySubsequences: false, whereSeparator: \.isLineFeed) {
            try parser.parse(line)
        }
        guard parser.fragment != SDPFragment() else { throw .empty }
        self = parser.fragment
    }

    /// The fragment's text, with CR and LF at the end of each line. Traps if a value is not a single line.
    public var text: String {
        var text = ""
        if let usernameFragment { text.appendAttribute("ice-ufrag:", usernameFragment) }
        if let password { text.appendAttribute("ice-pwd:", password) }
        for section in sections {
            // The content has no meaning: the line makes the text valid SDP (RFC 8840 §9).
            text += "m=audio 9 UDP/TLS/RTP/SAVPF 0\r\n"
            if let mid = section.mid { text.appendAttribute("mid:", mid) }
            for candidate in section.candidates { text.appendAttribute("", candidate) }
            if section.isEnd { text.appendAttribute("end-of-candidates", "") }
        }
        return text
    }
}

/// The state of a parser that reads a fragment line by line.
private struct FragmentParser {
    let isLenient: Bool
    private(set) var fragment = SDPFragment()
    private var number = 0
    private var candidateCount = 0

    init(isLenient: Bool) { self.isLenient = isLenient }

    private static let longestMid = 64
    private static let longestCandidate = 1024

    mutating func parse(_ bytes: Substring.UTF8View.SubSequence) throws(SDPFragmentError) {
        // The pair of a carriage return and a line feed makes one line of two: the second is empty.
        number += 1
        let line = Substring(bytes).trimmed
        guard !line.isEmpty else { return }
        let type = line.utf8.first ?? 0
        guard line.utf8.count >= 2, line.utf8.dropFirst().first == UInt8(ascii: "="),
            line.utf8.allSatisfy({ $0 >= 0x20 && $0 != 0x7F || $0 == 0x09 }), type < 0x80
        else { throw .notALine(line: number) }
        switch type {
        case UInt8(ascii: "m"): try beginSection()
        case UInt8(ascii: "a"): try add(Substring(line.utf8.dropFirst(2)))
        case _ where isLenient: break
        default: throw .unexpectedLine(line: number, type: String(UnicodeScalar(type)))
        }
    }

    private mutating func beginSection() throws(SDPFragmentError) {
        guard fragment.sections.count < SDPFragment.maximumSectionCount else {
            throw .tooManySections(limit: SDPFragment.maximumSectionCount)
        }
        fragment.sections.append(SDPFragment.Section(mid: nil))
    }

    private mutating func add(_ attribute: Substring) throws(SDPFragmentError) {
        let (name, value) = attribute.cutAtColon
        switch name {
        case "ice-ufrag":
            try setCredential(\.usernameFragment, to: value, as: "ice-ufrag", allowed: 4...256)
        case "ice-pwd":
            try setCredential(\.password, to: value, as: "ice-pwd", allowed: 22...256)
        case "mid":
            try setIdentification(value)
        case "candidate":
            try addCandidate(attribute)
        case "end-of-candidates":
            try changeSection { $0.isEnd = true }
        default:
            break
        }
    }

    private mutating func setCredential(
        _ place: WritableKeyPath<SDPFragment, String?>, to value: Substring, as name: String, allowed: ClosedRange<Int>
    ) throws(SDPFragmentError) {
        let isLenient = isLenient
        guard allowed.contains(value.utf8.count),
            value.utf8.allSatisfy({
                isLenient ? (0x21...0x7E).contains($0) : $0.isAlphanumeric || "+/".utf8.contains($0)
            })
        else {
            throw .invalidCredential(line: number, byteCount: value.utf8.count, allowed: allowed)
        }
        guard fragment[keyPath: place] == nil || fragment[keyPath: place] == String(value) else {
            throw .contradiction(line: number, attribute: name)
        }
        fragment[keyPath: place] = String(value)
    }

    private mutating func setIdentification(_ value: Substring) throws(SDPFragmentError) {
        guard (1...Self.longestMid).contains(value.utf8.count), !value.utf8.contains(where: \.isBlank) else {
            throw .invalidIdentification(line: number, byteCount: value.utf8.count, limit: Self.longestMid)
        }
        let number = number
        try changeSection { (section) throws(SDPFragmentError) in
            guard section.mid == nil || section.mid == String(value) else {
                throw .contradiction(line: number, attribute: "mid")
            }
            section.mid = String(value)
        }
    }

    private mutating func addCandidate(_ attribute: Substring) throws(SDPFragmentError) {
        let byteCount = attribute.utf8.count
        guard ("candidate:".utf8.count + 1...Self.longestCandidate).contains(byteCount) else {
            throw .invalidCandidate(line: number, byteCount: byteCount, limit: Self.longestCandidate)
        }
        guard candidateCount < SDPFragment.maximumCandidateCount else {
            throw .tooManyCandidates(limit: SDPFragment.maximumCandidateCount)
        }
        candidateCount += 1
        try changeSection { $0.candidates.append(String(attribute)) }
    }

    /// Changes the last section. Lines before the first m= belong to a section without a name.
    private mutating func changeSection(
        _ change: (inout SDPFragment.Section) throws(SDPFragmentError) -> Void
    ) throws(SDPFragmentError) {
        if fragment.sections.isEmpty { try beginSection() }
        try change(&fragment.sections[fragment.sections.count - 1])
    }
}

extension UInt8 {
    fileprivate var isLineFeed: Bool { self == 0x0A || self == 0x0D }
}

extension Substring {
    /// The text before and after the first colon; without a colon the latter is empty.
    fileprivate var cutAtColon: (Substring, Substring) {
        guard let colon = utf8.firstIndex(of: UInt8(ascii: ":")) else { return (self, self[endIndex...]) }
        return (Substring(utf8[..<colon]), Substring(utf8[utf8.index(after: colon)...]))
    }
}

extension String {
    fileprivate mutating func appendAttribute(_ name: String, _ value: String) {
        precondition(
            value.utf8.allSatisfy { $0 != 0x0A && $0 != 0x0D && $0 != 0 }, "a value in a fragment must be a single line"
        )
        self += "a=" + name + value + "\r\n"
    }
}

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
