import RillTestSupport

/// Runs the `rill` that was built beside the tests.
func rill(_ arguments: String..., input: String = "/dev/null") throws -> RunningProgram.Outcome {
    try Program(builtAs: "rill").run(arguments, input: input)
}
