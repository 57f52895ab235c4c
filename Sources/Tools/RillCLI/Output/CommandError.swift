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

    /// Packets of pictures arrived, and none of them was one that can be decoded.
    static func nothingDecoded(isProtected: Bool) -> CommandError {
        let hint = isProtected ? "" : ": they may be encrypted, or of another codec"
        return CommandError("packets arrived, but no picture could be decoded\(hint)", .unreadableInput)
    }
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

extension ExitCode {
    /// The input cannot be read, and nothing was written.
    static let unreadableInput = ExitCode(2)
    /// The readable part of the input was used; the rest is missing.
    static let partialResult = ExitCode(3)
    /// Ctrl-C: 128 plus the signal number, as in shells.
    static let interrupted = ExitCode(130)

    /// The exit codes of all commands, for help. If several apply, the worst wins: 130, 1, 2, 3, 0.
    static let table = """
        Exit codes of all commands:
          0    done; a live call or a recording that Ctrl-C ended is done too
          1    the task could not be done, or an output could not be made
          2    the input does not exist or cannot be read; nothing was written
          3    a part of the input is missing; what is there was used
          64   wrong arguments; nothing was done
          130  interrupted; nothing was written
        """
}
