// Splitting the lines of a session description. All splits are between bytes, at ASCII delimiters: Swift's characters
// would merge a colon with a combining accent after it.

/// The delimiters of the grammar in RFC 8866 §9.
enum Sign {
    static let space = UInt8(ascii: " ")
    static let colon = UInt8(ascii: ":")
    static let comma = UInt8(ascii: ",")
    static let equals = UInt8(ascii: "=")
    static let semicolon = UInt8(ascii: ";")
    static let slash = UInt8(ascii: "/")
}

extension Substring {
    /// Returns the text before and after the first `sign`; the latter is `nil` if there is no `sign`.
    func cut(at sign: UInt8) -> (before: Substring, after: Substring?) {
        guard let index = utf8.firstIndex(of: sign) else { return (self, nil) }
        return (self[..<index], self[utf8.index(after: index)...])
    }

    /// Returns the pieces between the delimiters, including empty ones.
    func pieces(at sign: UInt8) -> [Substring] {
        var pieces: [Substring] = []
        var rest = self
        while true {
            let (piece, after) = rest.cut(at: sign)
            pieces.append(piece)
            guard let after else { return pieces }
            rest = after
        }
    }

    /// The words between spaces and tabs.
    var words: [Substring] {
        var words: [Substring] = []
        var rest = self.trimmed
        while !rest.isEmpty {
            let end = rest.utf8.firstIndex(where: isBlank) ?? rest.endIndex
            words.append(rest[..<end])
            rest = rest[end...].trimmed
        }
        return words
    }

    /// The text without leading and trailing blanks.
    var trimmed: Substring {
        guard let first = utf8.firstIndex(where: { !isBlank($0) }),
            let last = utf8.lastIndex(where: { !isBlank($0) })
        else { return self[endIndex...] }
        return self[first...last]
    }

    /// Returns the text as an integer in `range`; `nil` unless it consists of digits only.
    func number(in range: ClosedRange<UInt64>) -> UInt64? {
        guard (1...20).contains(utf8.count), utf8.allSatisfy(isDigit), let value = UInt64(self) else { return nil }
        return range.contains(value) ? value : nil
    }

    /// The text as a payload type.
    var payloadType: PayloadType? { number(in: 0...127).map { PayloadType(UInt8($0)) } }
}

func isDigit(_ byte: UInt8) -> Bool { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) }

private func isBlank(_ byte: UInt8) -> Bool { byte == Sign.space || byte == UInt8(ascii: "\t") }

/// The lines of a text with their numbers, for any line ending (CR LF, LF, CR). Skips empty lines.
///
/// Skips also what programs and editors put before the first line of a description: a byte-order mark of UTF-8, and the
/// heading `SDP:` of FFmpeg's console.
struct SDPLines: ~Escapable {
    private let bytes: Span<UInt8>
    private var position = 0
    private var number = 0
    /// Whether a line that is not empty was read.
    private var hasBegun = false

    @_lifetime(copy bytes)
    init(_ bytes: Span<UInt8>) {
        self.bytes = bytes
        let mark: [UInt8] = [0xEF, 0xBB, 0xBF]
        let isMarked = bytes.count >= mark.count && mark.indices.allSatisfy { bytes[$0] == mark[$0] }
        position = isMarked ? mark.count : 0
    }

    /// One line: its number, its letter, and the text after the equals sign.
    struct Line {
        let number: Int
        let type: Unicode.Scalar
        let value: Substring
    }

    /// Returns the next line, or `nil` after the last one.
    ///
    /// - Throws: `notALine`.
    @_lifetime(self: copy self)
    mutating func next() throws(SDPError) -> Line? {
        while position < bytes.count {
            var text: [UInt8] = []
            var hasZero = false
            while position < bytes.count, bytes[position] != 0x0A, bytes[position] != 0x0D {
                text.append(bytes[position])
                hasZero = hasZero || bytes[position] == 0
                position += 1
            }
            number += 1
            // A carriage return and a line feed end one line.
            if position < bytes.count {
                let isPair = bytes[position] == 0x0D && position + 1 < bytes.count && bytes[position + 1] == 0x0A
                position += isPair ? 2 : 1
            }
            let line = String(decoding: text, as: UTF8.self)[...].trimmed
            guard !line.isEmpty else { continue }
            let isHeading = !hasBegun && line == "SDP:"
            hasBegun = true
            guard !isHeading else { continue }
            let (name, value) = line.cut(at: Sign.equals)
            guard !hasZero, let value, let type = name.unicodeScalars.first, name.utf8.count == 1,
                type.properties.isAlphabetic
            else { throw .notALine(line: number, text: shown(line)) }
            return Line(number: number, type: type, value: value)
        }
        return nil
    }
}

/// The start of a text, for an error. Hides a text that may contain a key (`a=crypto`, RFC 4568).
private func shown(_ text: Substring) -> String {
    let beginning = text.prefix(80)
    let isSecret = beginning.lowercased().contains("crypto") || text.lowercased().contains("inline")
    return isSecret ? "(hidden)" : String(beginning)
}

extension SDPLines.Line {
    /// Returns the result of parsing `text`.
    ///
    /// - Throws: `invalidValue` if `parse` returns `nil`.
    func require<Value>(
        _ text: Substring, as field: String, _ parse: (Substring) -> Value?
    ) throws(SDPError) -> Value {
        guard let value = parse(text) else {
            throw .invalidValue(line: number, field: field, value: shown(text))
        }
        return value
    }

    /// Returns the result of parsing a `text` that contains a key: the error does not show it.
    func requireSecret<Value>(
        _ text: Substring, as field: String, _ parse: (Substring) -> Value?
    ) throws(SDPError) -> Value {
        guard let value = parse(text) else { throw .invalidValue(line: number, field: field, value: "(hidden)") }
        return value
    }

    /// Sets a value that may occur only once.
    ///
    /// - Throws: `repeated`, or `invalidValue`.
    func set<Value>(
        _ place: inout Value?, as field: String, to text: Substring, _ parse: (Substring) -> Value?
    ) throws(SDPError) {
        guard place == nil else { throw .repeated(line: number, field: field) }
        place = try require(text, as: field, parse)
    }
}

extension String {
    /// Appends a line. Traps if the value contains a line ending, which would split the line.
    mutating func appendLine(_ type: Unicode.Scalar, _ value: String) {
        precondition(
            !value.utf8.contains { $0 == 0x0A || $0 == 0x0D || $0 == 0 },
            "a value in a session description must be a single line")
        unicodeScalars.append(type)
        append("=")
        append(value)
        append("\r\n")
    }

    /// Appends `a=name` or `a=name:value`.
    mutating func appendAttribute(_ name: String, _ value: String? = nil) {
        appendLine("a", value.map { "\(name):\($0)" } ?? name)
    }
}
