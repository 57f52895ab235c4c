import Arguments
import Foundation

/// Offers and answers as lines of the standard streams: `offer 3 BASE64`.
enum SignalingLines {
    /// Prints a line at once.
    static func write(_ verb: String, _ number: Int, _ description: String) {
        print("\(verb) \(number) \(Data(description.utf8).base64EncodedString())")
        flush()
    }

    /// Prints figures at once.
    static func write(_ text: String) {
        print(text)
        flush()
    }

    /// The next line; `nil` at the end of the input.
    static func read() throws -> (verb: String, number: Int, description: String)? {
        guard let line = readLine() else { return nil }
        let words = line.split(separator: " ")
        let number = words.count > 1 ? Int(words[1]) : 0
        let text = words.count > 2 ? Data(base64Encoded: String(words[2])) : Data()
        guard let verb = words.first, let number, let text else { throw WrongUse("a line that means nothing: \(line)") }
        return (String(verb), number, String(decoding: text, as: UTF8.self))
    }

    private static func flush() { fflush(nil) }
}
