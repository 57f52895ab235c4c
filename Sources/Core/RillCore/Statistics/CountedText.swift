/// Formats counts with their names: `framesEncoded 120, keyFramesEncoded 1, jitter 1.250ms`. Values that are zero or
/// unknown are left out. Nested counts are in parentheses.
///
/// It reflects the value's fields, so new counts appear without further code. For reports only: it allocates.
package func countedText(_ counts: Any) -> String {
    let words = Mirror(reflecting: counts).children.compactMap { field in
        field.label.flatMap { name in shown(field.value).map { "\(name) \($0)" } }
    }
    return words.isEmpty ? "nothing" : words.joined(separator: ", ")
}

/// Formats counts of several parts, one line each, with aligned names.
package func countedText(_ title: String, _ parts: [(name: String, text: String)]) -> String {
    let width = parts.map(\.name.count).max() ?? 0
    let lines = parts.map { part in
        "  \(part.name)\(String(repeating: " ", count: width - part.name.count))  \(part.text)"
    }
    return ([title] + lines).joined(separator: "\n")
}

private func shown(_ value: Any) -> String? {
    switch value {
    case let count as Int: return count == 0 ? nil : String(count)
    case let share as Double: return share == 0 ? nil : String((share * 1e6).rounded() / 1e6)
    case let text as String: return text.isEmpty ? nil : "\"\(text)\""
    case let duration as MediaDuration: return duration == .zero ? nil : duration.description
    case let name as any RawRepresentable: return "\(name)"
    default:
        let mirror = Mirror(reflecting: value)
        // An unknown value, or not a struct of counts.
        if mirror.children.isEmpty, [.optional, .collection].contains(mirror.displayStyle) { return nil }
        guard mirror.displayStyle == .struct else { return "\(value)" }
        let inner = countedText(value)
        return inner == "nothing" ? nil : "(\(inner))"
    }
}
