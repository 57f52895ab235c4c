import ArgumentParser

/// `rill serve`: runs rill-serve, the server, which is in a package of its own.
struct ServeCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "serve",
        abstract: "Serve streams by URL: WHIP to publish them, WHEP to watch them, and web pages for both.",
        discussion: """
            Runs rill-serve, found beside rill, in Server/.build, or in PATH; `rill serve --help` shows its help. It is \
            built separately, so that rill itself does not need an HTTP library:

              swift build -c release --package-path Server
            """)

    @Argument(parsing: .captureForPassthrough, help: "Arguments for rill-serve.")
    var words: [String] = []

    func run() throws { try SeparateProgram.serve.replaceProcess(for: "serve", words) }
}
