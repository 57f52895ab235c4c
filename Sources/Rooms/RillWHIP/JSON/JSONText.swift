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
