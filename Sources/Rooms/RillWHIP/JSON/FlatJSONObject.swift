/// A JSON object whose values are strings, numbers, truth values and null (RFC 8259). Requests have no other values;
/// problem details of servers may have (RFC 9457 §3.2).
struct FlatJSONObject: Equatable {
    /// A member's value.
    enum Value: Equatable {
        case string(String)
        /// A number, as it is written.
        case number(String)
        case bool(Bool)
        case null
    }

    /// The members. Of several with one name the last one counts.
    private(set) var members: [String: Value] = [:]

    /// The treatment of a member whose value is an object or an array.
    enum NestedValues: Equatable {
        case refused
        /// Parsed, and ignored.
        case skipped
    }

    /// Parses a text that is an object of at most 64 members.
    ///
    /// - Parameters:
    ///   - text: the whole text.
    ///   - nested: the treatment of objects and arrays in it.
    /// - Throws: `notJSON` with the offset, `nested`, `tooManyMembers`; `tooDeep` for skipped values.
    init(parsing text: String, nested: NestedValues = .refused) throws(FlatJSONError) {
        var reader = JSONReader(bytes: Array(text.utf8))
        try reader.expect(UInt8(ascii: "{"))
        if !reader.take(UInt8(ascii: "}")) {
            repeat {
                guard members.count < Self.maximumMemberCount else {
                    throw .tooManyMembers(limit: Self.maximumMemberCount)
                }
                let name = try reader.string()
                try reader.expect(UInt8(ascii: ":"))
                if nested == .skipped, try reader.skipNested() { continue }
                members[name] = try reader.value()
            } while reader.take(UInt8(ascii: ","))
            try reader.expect(UInt8(ascii: "}"))
        }
        try reader.expectEnd()
    }

    private static let maximumMemberCount = 64
}

/// Why a text is not a flat object.
enum FlatJSONError: Error, Equatable {
    /// The text is invalid at this byte.
    case notJSON(offset: Int)
    /// The value at that byte is an object or an array.
    case nested(offset: Int)
    /// The object has more members than it may have.
    case tooManyMembers(limit: Int)
    /// The value at that byte is nested deeper than it may be.
    case tooDeep(offset: Int, limit: Int)
}

extension FlatJSONError: CustomStringConvertible {
    var description: String {
        switch self {
        case .notJSON(let offset): "the body is not a JSON object: see byte \(offset)"
        case .nested(let offset): "the body's values must be plain; that at byte \(offset) is an object or an array"
        case .tooManyMembers(let limit): "the body has more than \(limit) members"
        case .tooDeep(let offset, let limit): "the value at byte \(offset) of the body is nested deeper than \(limit)"
        }
    }
}

/// Reads tokens of JSON.
struct JSONReader {
    let bytes: [UInt8]
    private var position = 0

    init(bytes: [UInt8]) { self.bytes = bytes }

    private var next: UInt8? { position < bytes.count ? bytes[position] : nil }

    private mutating func skipSpace() {
        while let byte = next, byte == 0x20 || byte == 0x09 || byte == 0x0A || byte == 0x0D { position += 1 }
    }

    /// Reads the sign if it is next, after any white space.
    mutating func take(_ sign: UInt8) -> Bool {
        skipSpace()
        guard next == sign else { return false }
        position += 1
        return true
    }

    mutating func expect(_ sign: UInt8) throws(FlatJSONError) {
        guard take(sign) else { throw .notJSON(offset: position) }
    }

    mutating func expectEnd() throws(FlatJSONError) {
        skipSpace()
        guard next == nil else { throw .notJSON(offset: position) }
    }

    mutating func value() throws(FlatJSONError) -> FlatJSONObject.Value {
        skipSpace()
        switch next {
        case UInt8(ascii: "\""): return .string(try string())
        case UInt8(ascii: "{"), UInt8(ascii: "["): throw .nested(offset: position)
        case let byte? where "-0123456789".utf8.contains(byte): return try number()
        default: return try word()
        }
    }

    /// Reads an object or an array, if one is next, with all that is in it.
    ///
    /// - Returns: whether one was next.
    mutating func skipNested(depth: Int = 1) throws(FlatJSONError) -> Bool {
        let isObject = take(UInt8(ascii: "{"))
        guard isObject || take(UInt8(ascii: "[")) else { return false }
        guard depth <= Self.maximumDepth else { throw .tooDeep(offset: position - 1, limit: Self.maximumDepth) }
        let end = UInt8(ascii: isObject ? "}" : "]")
        if take(end) { return true }
        repeat {
            if isObject {
                _ = try string()
                try expect(UInt8(ascii: ":"))
            }
            if try !skipNested(depth: depth + 1) { _ = try value() }
        } while take(UInt8(ascii: ","))
        try expect(end)
        return true
    }

    private static let maximumDepth = 32

    private mutating func word() throws(FlatJSONError) -> FlatJSONObject.Value {
        for (word, value) in [("null", FlatJSONObject.Value.null), ("true", .bool(true)), ("false", .bool(false))]
        where bytes[position...].starts(with: word.utf8) {
            position += word.utf8.count
            return value
        }
        throw .notJSON(offset: position)
    }

    private mutating func number() throws(FlatJSONError) -> FlatJSONObject.Value {
        let start = position
        while let byte = next, "+-.eE0123456789".utf8.contains(byte) { position += 1 }
        let text = String(decoding: bytes[start..<position], as: UTF8.self)
        guard Double(text) != nil, text.utf8.first != UInt8(ascii: "+") else { throw .notJSON(offset: start) }
        return .number(text)
    }

    mutating func string() throws(FlatJSONError) -> String {
        try expect(UInt8(ascii: "\""))
        var text: [UInt8] = []
        while let byte = next {
            position += 1
            switch byte {
            case UInt8(ascii: "\""): return String(decoding: text, as: UTF8.self)
            case UInt8(ascii: "\\"): text += try escaped()
            case ..<0x20: throw .notJSON(offset: position - 1)
            default: text.append(byte)
            }
        }
        throw .notJSON(offset: position)
    }

    /// The character of an escape after its backslash, as UTF-8.
    private mutating func escaped() throws(FlatJSONError) -> [UInt8] {
        guard let byte = next else { throw .notJSON(offset: position) }
        position += 1
        switch byte {
        case UInt8(ascii: "\""), UInt8(ascii: "\\"), UInt8(ascii: "/"): return [byte]
        case UInt8(ascii: "b"): return [0x08]
        case UInt8(ascii: "f"): return [0x0C]
        case UInt8(ascii: "n"): return [0x0A]
        case UInt8(ascii: "r"): return [0x0D]
        case UInt8(ascii: "t"): return [0x09]
        case UInt8(ascii: "u"):
            var units = [try codeUnit()]
            // The first half of a pair needs its second half. A half alone becomes U+FFFD.
            if UTF16.isLeadSurrogate(units[0]), bytes[position...].starts(with: "\\u".utf8) {
                position += 2
                units.append(try codeUnit())
            }
            return Array(String(decoding: units, as: UTF16.self).utf8)
        default: throw .notJSON(offset: position - 1)
        }
    }

    private mutating func codeUnit() throws(FlatJSONError) -> UInt16 {
        guard position + 4 <= bytes.count,
            let unit = UInt16(String(decoding: bytes[position..<position + 4], as: UTF8.self), radix: 16),
            bytes[position] != UInt8(ascii: "+")
        else { throw .notJSON(offset: position) }
        position += 4
        return unit
    }
}

/// Values written as JSON (RFC 8259).
enum JSONText {
    /// An object whose values are JSON already.
    static func object(_ members: [(name: String, value: String)]) -> String {
        "{" + members.map { string($0.name) + ":" + $0.value }.joined(separator: ",") + "}"
    }

    /// An array of elements that are JSON already.
    static func array(_ elements: [String]) -> String { "[" + elements.joined(separator: ",") + "]" }

    /// A number with one decimal; 0 for what JSON has no number for, and for values no stream can have.
    static func number(_ value: Double) -> String {
        guard value.isFinite, abs(value) < 1e12 else { return "0" }
        return "\((value * 10).rounded() / 10)"
    }

    /// A string. Escapes what JSON must (§7), and the signs that would end a script in a page.
    static func string(_ text: String) -> String {
        var json = "\""
        for scalar in text.unicodeScalars {
            switch scalar {
            case "\"", "\\":
                json += "\\" + String(scalar)
            case _ where scalar.value < 0x20 || scalar == "<" || scalar.value == 0x7F:
                let digits = String(scalar.value, radix: 16)
                json += "\\u" + String(repeating: "0", count: 4 - digits.count) + digits
            default:
                json.unicodeScalars.append(scalar)
            }
        }
        return json + "\""
    }
}
