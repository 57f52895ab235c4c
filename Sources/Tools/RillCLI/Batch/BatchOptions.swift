import ArgumentParser

/// The options of a batch.
struct BatchOptions: ParsableArguments {
    /// The output format of the clips of a folder.
    enum Target: String, ExpressibleByArgument, CaseIterable {
        case webm, mkv, ivf, y4m
    }

    @Option(
        help: ArgumentHelp(
            "Run the jobs of a list, one per line: INPUT OUTPUT and options, quoted as for a shell; # starts a "
                + "comment. Paths are relative to the list's folder. A line's options override those given here.",
            valueName: "list"), completion: .file())
    var jobs: String?

    @Option(help: "Output format when INPUT and OUTPUT are folders.")
    var to: Target?

    @Flag(help: "With a folder: include its subfolders.")
    var recursive = false

    @Flag(
        help: ArgumentHelp(
            "Skip the jobs that were done before, according to the manifest (LIST.done, or rill-transcode.done in the "
                + "output folder): same input, same options, outputs still present."))
    var resume = false
}
