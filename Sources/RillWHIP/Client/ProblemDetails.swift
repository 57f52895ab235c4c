/// What a server says of a refusal: the title and the detail of `application/problem+json` (RFC 9457 §3.1).
struct ProblemDetails: Equatable, Sendable {
    /// A short summary of the kind of problem.
    var title: String?
    /// What was wrong this time.
    var detail: String?

    /// The longest text that is kept, in characters.
    static let maximumLength = 300

    /// Reads the members of a JSON object; `nil` if the text is not one. Members of other types are skipped.
    init?(json: String) {
        var reader = JSONReader(Array(json.utf8.prefix(65_536)))
        guard let members = reader.stringMembers() else { return nil }
        title = members["title"].map(ProblemDetails.cleaned)
        detail = members["detail"].map(ProblemDetails.cleaned)
    }

    /// The text without control characters, on one line, and not too long: it is a stranger's, and is printed.
    static func cleaned(_ text: String) -> String {
        var kept = String.UnicodeScalarView()
        for scalar in text.unicodeScalars.prefix(maximumLength) {
            switch scalar.properties.generalCategory {
            case .control, .format, .lineSeparator, .paragraphSeparator, .surrogate: kept.append(" ")
            default: kept.append(scalar)
            }
        }
        return String(kept)
    }
}

/// The string members of one JSON object (RFC 8259), read without recursion deeper than 32.
private struct JSONReader {
    private let bytes: [UInt8]
    private var position = 0

    init(_ bytes: [UInt8]) { self.bytes = bytes }

    mutating func stringMembers() -> [String: String]? {
        var members: [String: String] = [:]
        guard take("{") else { return nil }
        if take("}") { return members }
        repeat {
            guard let name = string(), take(":") else { return nil }
            if next == UInt8(ascii: "\"") {
                guard let value = string() else { return nil }
                if members.count < 64 { members[name] = value }
            } else {
                guard skipValue(depth: 0) else { return nil }
            }
        } while take(",")
        return take("}") ? members : nil
    }

    /// The next byte that is not white space.
    private var next: UInt8? {
        mutating get {
            while position < bytes.count, [0x20, 0x09, 0x0A, 0x0D].contains(bytes[position]) { position += 1 }
            return position < bytes.count ? bytes[position] : nil
        }
    }

    private mutating func take(_ character: Unicode.Scalar) -> Bool {
        guard next == UInt8(ascii: character) else { return false }
        position += 1
        return true
    }

    private mutating func skipValue(depth: Int) -> Bool {
        guard depth < 32, let first = next else { return false }
        switch first {
        case UInt8(ascii: "\""): return string() != nil
        case UInt8(ascii: "{"):
            return skipList(until: "}", depth: depth) { reader in reader.string() != nil && reader.take(":") }
        case UInt8(ascii: "["): return skipList(until: "]", depth: depth) { _ in true }
        default:
            let start = position
            while position < bytes.count, isWord(bytes[position]) { position += 1 }
            return position > start
        }
    }

    private mutating func skipList(
        until end: Unicode.Scalar, depth: Int, _ prefix: (inout JSONReader) -> Bool
    ) -> Bool {
        position += 1
        if take(end) { return true }
        repeat {
            guard prefix(&self), skipValue(depth: depth + 1) else { return false }
        } while take(",")
        return take(end)
    }

    /// A byte of a number, or of true, false and null.
    private func isWord(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "E"),
            UInt8(ascii: "+"), UInt8(ascii: "-"), UInt8(ascii: "."):
            true
        default: false
        }
    }

    private mutating func string() -> String? {
        guard take("\"") else { return nil }
        var text: [UInt8] = []
        while position < bytes.count {
            let byte = bytes[position]
            position += 1
            switch byte {
            case UInt8(ascii: "\""): return String(decoding: text, as: UTF8.self)
            case UInt8(ascii: "\\"):
                guard let scalar = escape() else { return nil }
                text += Array(String(Character(scalar)).utf8)
            default: text.append(byte)
            }
        }
        return nil
    }

    private mutating func escape() -> Unicode.Scalar? {
        guard position < bytes.count else { return nil }
        defer { position += 1 }
        switch bytes[position] {
        case UInt8(ascii: "n"), UInt8(ascii: "r"), UInt8(ascii: "t"), UInt8(ascii: "b"), UInt8(ascii: "f"): return " "
        case UInt8(ascii: "u"):
            guard position + 4 < bytes.count else { return nil }
            let digits = String(decoding: bytes[(position + 1)...(position + 4)], as: UTF8.self)
            position += 4
            guard digits.utf8.allSatisfy({ $0 != UInt8(ascii: "+") && $0 != UInt8(ascii: "-") }) else { return nil }
            // Half of a pair is shown as the replacement character.
            return UInt32(digits, radix: 16).map { Unicode.Scalar($0) ?? "\u{FFFD}" }
        case let byte: return byte < 0x80 ? Unicode.Scalar(byte) : nil
        }
    }
}
