/// Splits a line into words by the quoting rules of a shell: single quotes quote everything, in double quotes a
/// backslash quotes `"` and `\`, elsewhere any character; `#` at the start of a word starts a comment. Nothing else is
/// special: no variables, no patterns, no `~`.
enum ShellWords {
    /// A syntax error of a line.
    enum Failure: Error, Equatable, CustomStringConvertible {
        case openQuote(Character)
        case openBackslash

        var description: String {
            switch self {
            case .openQuote(let quote): "the quote \(quote) is not closed"
            case .openBackslash: "the line ends with a backslash"
            }
        }
    }

    /// The words of a line; none if it is empty or a comment.
    static func split(_ line: some StringProtocol) throws(Failure) -> [String] {
        var words: [String] = []
        // `nil` between words; an empty word, as in '', counts.
        var word: String?
        var rest = line[...]
        while let character = rest.popFirst() {
            switch character {
            case " ", "\t":
                if let whole = word { words.append(whole) }
                word = nil
            case "#" where word == nil: return words
            case "'", "\"": word = (word ?? "") + (try quoted(&rest, until: character))
            case "\\":
                guard let next = rest.popFirst() else { throw .openBackslash }
                word = (word ?? "") + String(next)
            default: word = (word ?? "") + String(character)
            }
        }
        return words + [word].compactMap(\.self)
    }

    /// The text before the closing quote.
    private static func quoted<Text: StringProtocol>(
        _ rest: inout Text, until quote: Character
    ) throws(Failure) -> String where Text.SubSequence == Text {
        var text = ""
        while let character = rest.popFirst() {
            if character == quote { return text }
            guard quote == "\"", character == "\\" else {
                text.append(character)
                continue
            }
            guard let next = rest.popFirst() else { break }
            text += next == "\"" || next == "\\" ? String(next) : "\\\(next)"
        }
        throw .openQuote(quote)
    }
}

extension ShellWords {
    /// A word quoted for a shell.
    static func quoted(_ word: String) -> String {
        guard word.isEmpty || word.contains(where: { $0.isWhitespace || "'\"\\$&|;<>()*?#~`![]{}".contains($0) }) else {
            return word
        }
        return "'" + word.replacing("'", with: "'\\''") + "'"
    }
}
