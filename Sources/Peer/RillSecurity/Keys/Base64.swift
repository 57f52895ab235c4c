/// Base64 (RFC 4648 §4): six bits per character, padded with `=` to a multiple of four characters.
enum Base64 {
    /// Returns the number of bytes that a text decodes to; `nil` if it is not base64. Padding is optional (RFC 4568
    /// §6.1).
    static func byteCount(of text: Span<UInt8>) -> Int? {
        let signs = significantCount(of: text)
        let isPadded = text.count > signs
        guard text.count - signs <= 2, !isPadded || text.count % 4 == 0, signs % 4 != 1 else { return nil }
        for index in 0..<signs where value(text[index]) == nil { return nil }
        return signs * 6 / 8
    }

    /// Appends the decoded bytes of a text that ``byteCount(of:)`` has validated.
    @_lifetime(output: copy output)
    static func decode(_ text: Span<UInt8>, into output: inout OutputSpan<UInt8>) {
        var bits: UInt32 = 0
        var count = 0
        for index in 0..<significantCount(of: text) {
            bits = bits << 6 | UInt32(value(text[index]) ?? 0)
            count += 6
            guard count >= 8 else { continue }
            count -= 8
            output.append(UInt8(truncatingIfNeeded: bits >> UInt32(count)))
        }
    }

    /// Returns the text of `bytes`, with padding.
    static func text(_ bytes: Span<UInt8>) -> String {
        var signs: [UInt8] = []
        for start in stride(from: 0, to: bytes.count, by: 3) {
            let count = min(3, bytes.count - start)
            let bits = (0..<count).reduce(UInt32(0)) { $0 | UInt32(bytes[start + $1]) << UInt32(16 - 8 * $1) }
            for index in 0..<4 {
                signs.append(index <= count ? sign(bits >> UInt32(18 - 6 * index) & 63) : UInt8(ascii: "="))
            }
        }
        return String(decoding: signs, as: UTF8.self)
    }

    private static func significantCount(of text: Span<UInt8>) -> Int {
        var count = text.count
        while count > 0, text[count - 1] == UInt8(ascii: "=") { count -= 1 }
        return count
    }

    // Uses arithmetic instead of a lookup table, whose accesses would leak through the cache.

    private static func value(_ sign: UInt8) -> UInt8? {
        switch sign {
        case UInt8(ascii: "A")...UInt8(ascii: "Z"): sign - UInt8(ascii: "A")
        case UInt8(ascii: "a")...UInt8(ascii: "z"): sign - UInt8(ascii: "a") + 26
        case UInt8(ascii: "0")...UInt8(ascii: "9"): sign - UInt8(ascii: "0") + 52
        case UInt8(ascii: "+"): 62
        case UInt8(ascii: "/"): 63
        default: nil
        }
    }

    private static func sign(_ value: UInt32) -> UInt8 {
        let value = UInt8(truncatingIfNeeded: value)
        return switch value {
        case 0..<26: value + UInt8(ascii: "A")
        case 26..<52: value - 26 + UInt8(ascii: "a")
        case 52..<62: value - 52 + UInt8(ascii: "0")
        case 62: UInt8(ascii: "+")
        default: UInt8(ascii: "/")
        }
    }
}
