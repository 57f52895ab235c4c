/// A line's words, quoted as a shell would have them: in single quotes all is as it is, in double quotes a backslash quotes
/// `"` and `\`, elsewhere any character; `#` where a word would begin starts a comment. Nothing else has a meaning: no
/// variables, no patterns, no `~`.
enum ShellWords {
    /// What is wrong with a line.
    enum Failure: Error, Equatable, CustomStringConvertible {
        case openQuote(Character)
        case openBackslash

        var description: String {
            switch self {
            case .openQuote(let quote): "the quote \(quote) has no end"
            case .openBackslash: "the line ends with a backslash, which quotes nothing"
            }
        }
    }

    /// The words of a line; none for one that is empty or a comment.
    static func split(_ line: some StringProtocol) throws(Failure) -> [String] {
        var words: [String] = []
        // `nil` between words: an empty word, as in '', is one.
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

    /// What stands before the closing quote.
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
    /// A word as a shell takes it back.
    static func quoted(_ word: String) -> String {
        guard word.isEmpty || word.contains(where: { $0.isWhitespace || "'\"\\$&|;<>()*?#~`![]{}".contains($0) }) else {
            return word
        }
        return "'" + word.replacing("'", with: "'\\''") + "'"
    }
}
