/// A command as it is run, and as a reader can run it again.
struct Invocation: Sendable, Equatable {
    /// The program, with its path, and its arguments.
    var words: [String]
    /// What it finds in its environment besides ours.
    var environment: [String: String] = [:]

    /// As a shell takes it: words that it would take apart stand in quotes.
    var text: String {
        let variables = environment.sorted { $0.key < $1.key }.map { "\($0.key)=\(Self.quoted($0.value))" }
        return (variables + words.map(Self.quoted)).joined(separator: " ")
    }

    private static func quoted(_ word: String) -> String {
        let isPlain = !word.isEmpty && word.unicodeScalars.allSatisfy { "a"..."z" ~= $0 || plain.contains($0) }
        return isPlain
            ? word : "'" + word.split(separator: "'", omittingEmptySubsequences: false).joined(separator: "'\\''") + "'"
    }

    private static let plain = Set("ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789@%+=:,./_-".unicodeScalars)
}
