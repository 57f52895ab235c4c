import ArgumentParser

/// Why a command cannot go on, in words for people, and how it ends. What is wrong with the arguments themselves is a
/// `ValidationError`, which shows the usage too.
struct CommandError: Error, CustomStringConvertible {
    let description: String
    /// One of ``ArgumentParser/ExitCode/table``.
    let exitCode: ExitCode

    init(_ description: String, _ exitCode: ExitCode = .failure) {
        self.description = description
        self.exitCode = exitCode
    }

    /// Ctrl-C, and nothing bears its name.
    static let interrupted = CommandError("interrupted: no output was written", .interrupted)
}

/// Opens or reads an input: what goes wrong there is the input's fault, and ends the command as such.
///
/// - Throws: ``CommandError`` of `unreadableInput`; what says already how the command ends, as it is.
func readingInput<Value>(_ body: () throws -> Value) throws -> Value {
    do {
        return try body()
    } catch let error as CommandError {
        throw error
    } catch let error as ValidationError {
        throw error
    } catch {
        throw CommandError("\(error)", .unreadableInput)
    }
}
