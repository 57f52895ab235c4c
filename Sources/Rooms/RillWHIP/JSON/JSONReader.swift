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
