import ArgumentParser

/// The reason why a command failed, as text, and its exit code. Wrong arguments are a `ValidationError` instead, which
/// also shows the usage.
struct CommandError: Error, CustomStringConvertible {
    let description: String
    /// One of ``ArgumentParser/ExitCode/table``.
    let exitCode: ExitCode

    init(_ description: String, _ exitCode: ExitCode = .failure) {
        self.description = description
        self.exitCode = exitCode
    }

    /// Ctrl-C was pressed, and no output was written.
    static let interrupted = CommandError("interrupted: no output was written", .interrupted)
}

/// Runs `body`, which opens or reads an input, and turns its errors into ``CommandError`` of `unreadableInput`.
///
/// - Throws: ``CommandError``; errors that already have an exit code are rethrown unchanged.
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
