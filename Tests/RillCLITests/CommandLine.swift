import Foundation
import RillTestSupport

/// The `rill` that was built beside the tests.
func rillProgram() throws -> Program {
    var program = try Program(builtAs: "rill")
    let tests = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
    // Under the address sanitizer a leak is an exit code of its own.
    program.environment["LSAN_OPTIONS"] =
        "suppressions=\(tests.appending(path: "leaks.suppressions").path):print_suppressions=0"
    return program
}

/// Runs it to its end.
func rill(_ arguments: String..., input: String = "/dev/null") throws -> RunningProgram.Outcome {
    try rillProgram().run(arguments, input: input)
}
