import ArgumentParser

/// How many clips are transcoded at once, and which.
struct BatchOptions: ParsableArguments {
    /// What the clips of a folder become.
    enum Target: String, ExpressibleByArgument, CaseIterable {
        case webm, mkv, ivf, y4m
    }

    @Option(
        help: ArgumentHelp(
            "Do the jobs of a list, one in a line: INPUT OUTPUT and options, quoted as for a shell; # begins a comment. "
                + "Paths are relative to the list's folder. A line's options come after those given here, and win.",
            valueName: "list"), completion: .file())
    var jobs: String?

    @Option(help: "What each clip becomes when INPUT and OUTPUT are folders.")
    var to: Target?

    @Flag(help: "With a folder: its folders too.")
    var recursive = false

    @Flag(
        help: ArgumentHelp(
            "Leave out the jobs that were done before, by what the list's manifest (LIST.done, or rill-transcode.done in "
                + "the output folder) says: same input, same options, outputs still there."))
    var resume = false
}
