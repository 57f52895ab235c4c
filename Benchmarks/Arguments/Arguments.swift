import Glibc

/// A command line: a verb, then names with their values.
///
///     bench-work send --clip CLIP.y4m --bitrate 1500k
public struct Arguments {
    /// The first word.
    public let verb: String
    private let values: [String: String]

    init(_ words: some Collection<String>) throws(WrongUse) {
        guard let verb = words.first, words.count % 2 == 1 else {
            throw WrongUse("expected a verb, then --name and value by pairs")
        }
        self.verb = verb
        var (values, rest): ([String: String], _) = ([:], words.dropFirst())
        while let name = rest.popFirst(), let value = rest.popFirst() {
            guard name.hasPrefix("--") else { throw WrongUse("\(name) is not a --name") }
            values[String(name.dropFirst(2))] = value
        }
        self.values = values
    }

    /// The value of an optional argument.
    public func optional(_ name: String) -> String? { values[name] }

    /// The value of a required argument.
    public subscript(name: String) -> String {
        get throws(WrongUse) {
            guard let value = values[name] else { throw WrongUse("--\(name) is missing") }
            return value
        }
    }

    /// A whole number, or `nil` if it is missing.
    public func number(_ name: String, atLeast least: Int = 1) throws(WrongUse) -> Int? {
        guard let text = values[name] else { return nil }
        guard let number = Int(text), number >= least else {
            throw WrongUse("--\(name) \(text) is not a number of at least \(least)")
        }
        return number
    }

    /// Seconds.
    public func seconds(_ name: String = "seconds") throws(WrongUse) -> Double {
        guard let seconds = Double(try self[name]), seconds > 0 else { throw WrongUse("--\(name) is not above zero") }
        return seconds
    }

    /// Runs a program with its command line. It exits with 1 after an error, with 2 after wrong use.
    public static func run(_ program: String, _ body: (Arguments) throws -> Void) {
        do {
            try body(try Arguments(CommandLine.arguments.dropFirst()))
        } catch {
            let text = "\(program): \(error)\n"
            // If even this fails, the exit code still reports the error.
            _ = write(STDERR_FILENO, text, text.utf8.count)
            exit(error is WrongUse ? 2 : 1)
        }
    }
}

/// The command line, or an input that it names, is wrong.
public struct WrongUse: Error, CustomStringConvertible {
    /// The error.
    public let description: String

    /// Creates an error with a description.
    public init(_ description: String) {
        self.description = description
    }
}
