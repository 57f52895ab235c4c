/// An object of JSON whose values are strings, numbers, truth values and null (RFC 8259). Requests have no others.
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

    /// Parses a text that is an object of at most 64 members.
    ///
    /// - Throws: `notJSON` with the place, `nested`, `tooManyMembers`.
    init(parsing text: String) throws(FlatJSONError) {
        var reader = JSONReader(bytes: Array(text.utf8))
        try reader.expect(UInt8(ascii: "{"))
        if !reader.take(UInt8(ascii: "}")) {
            repeat {
                guard members.count < Self.maximumMemberCount else {
                    throw .tooManyMembers(limit: Self.maximumMemberCount)
                }
                let name = try reader.string()
                try reader.expect(UInt8(ascii: ":"))
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
    /// What is at that byte cannot be there.
    case notJSON(offset: Int)
    /// The value at that byte is an object or an array.
    case nested(offset: Int)
    /// The object has more members than it may have.
    case tooManyMembers(limit: Int)
}

extension FlatJSONError: CustomStringConvertible {
    var description: String {
        switch self {
        case .notJSON(let offset): "the body is not a JSON object: see byte \(offset)"
        case .nested(let offset): "the body's values must be plain; that at byte \(offset) is an object or an array"
        case .tooManyMembers(let limit): "the body has more than \(limit) members"
        }
    }
}

/// Reads tokens of JSON.
private struct JSONReader {
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

    /// What an escape after its backslash means, as UTF-8.
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
