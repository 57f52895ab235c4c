/// Why a command cannot go on, in words for people. What is wrong with the arguments themselves is refused before, in
/// `validate()`, which shows the usage too.
struct CommandError: Error, CustomStringConvertible {
    let description: String

    init(_ description: String) {
        self.description = description
    }
}
