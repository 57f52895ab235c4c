/// Counts as text, by their names: `framesEncoded 120, keyFramesEncoded 1, jitter 1.250ms`. What is zero, or not known, is left
/// out; counts of counts stand in brackets.
///
/// It looks at the fields of the value itself, so a new count is shown as soon as there is one. For reports: it allocates.
package func countedText(_ counts: Any) -> String {
    let words = Mirror(reflecting: counts).children.compactMap { field in
        field.label.flatMap { name in shown(field.value).map { "\(name) \($0)" } }
    }
    return words.isEmpty ? "nothing" : words.joined(separator: ", ")
}

/// Counts of several parts, a line each, their names aligned.
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
        // Nothing is known, or it is no struct of counts.
        if mirror.displayStyle == .optional, mirror.children.isEmpty { return nil }
        guard mirror.displayStyle == .struct else { return "\(value)" }
        let inner = countedText(value)
        return inner == "nothing" ? nil : "(\(inner))"
    }
}
