/// What a text of a chat may be. Texts of any script are shown as they are: as text, never as markup.
public enum ChatText {
    /// A character, such as an emoji with joiners or a letter with its marks, has at most so many code points: more
    /// would be a tower of marks.
    static let scalarLimit = 32

    /// A text as it can be sent: with `\n` at the ends of lines, without other control characters than tabs, and cut to
    /// whole characters.
    ///
    /// - Parameters:
    ///   - text: what somebody typed or pasted.
    ///   - limit: how many characters it may have.
    public static func clean(_ text: String, limit: Int = 255) -> String {
        var scalars = String.UnicodeScalarView()
        var isAfterReturn = false
        for scalar in text.unicodeScalars {
            if scalar == "\r" || scalar == "\n" && !isAfterReturn {
                scalars.append("\n")
            } else if !scalar.isRefused, scalar != "\n" {
                scalars.append(scalar)
            }
            isAfterReturn = scalar == "\r"
        }
        return String(String(scalars).lazy.filter { $0.unicodeScalars.count <= scalarLimit }.prefix(limit))
    }

    /// Whether there is nothing to see: only spaces, and marks without a shape such as joiners and directions.
    static func isBlank(_ text: String) -> Bool {
        text.unicodeScalars.allSatisfy { scalar in
            scalar.properties.isWhitespace || scalar.properties.isDefaultIgnorableCodePoint
        }
    }

    /// Checks a text. Its size in bytes must have been checked, as this looks at each of them.
    ///
    /// - Throws: `malformed`, `tooLarge`.
    static func check(_ text: String, _ field: String, limit: Int) throws(RoomError) {
        guard !text.unicodeScalars.contains(where: \.isRefused) else {
            throw .malformed("\(field) has control characters")
        }
        var count = 0
        for character in text {
            count += 1
            guard count <= limit else { throw .tooLarge(field: field, limit: limit) }
            guard character.unicodeScalars.count <= scalarLimit else {
                throw .malformed("\(field) has a character of more than \(scalarLimit) code points")
            }
        }
    }
}

extension Unicode.Scalar {
    /// Whether it is a control character other than tab and the end of a line.
    fileprivate var isRefused: Bool {
        properties.generalCategory == .control && self != "\n" && self != "\t"
    }
}
