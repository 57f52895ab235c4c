/// The server's reason of a refusal: title and detail of `application/problem+json` (RFC 9457 §3.1).
struct ProblemDetails: Equatable, Sendable {
    /// A short summary of the kind of problem.
    var title: String?
    /// The detail of this occurrence.
    var detail: String?

    /// The longest text that is kept, in characters.
    static let maximumLength = 300

    /// Reads the members of a JSON object; `nil` if the text is not one. Members of other types are skipped.
    init?(json: String) {
        guard let members = try? FlatJSONObject(parsing: json, nested: .skipped).members else { return nil }
        func text(_ name: String) -> String? {
            guard case .string(let text)? = members[name] else { return nil }
            return ProblemDetails.cleaned(text)
        }
        (title, detail) = (text("title"), text("detail"))
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
