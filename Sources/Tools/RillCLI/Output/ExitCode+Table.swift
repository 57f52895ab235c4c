import ArgumentParser

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
