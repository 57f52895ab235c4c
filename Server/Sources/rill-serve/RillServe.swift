import ArgumentParser
import ServeCommand

/// The command `rill-serve`.
@main
struct RillServe: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "rill-serve", abstract: "Streams to publish and watch by URL: WHIP and WHEP.",
        subcommands: [Serve.self, TokenCommand.self], defaultSubcommand: Serve.self)
}

/// `rill-serve serve`: runs the server.
struct Serve: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "serve", abstract: "Runs the server until SIGTERM or SIGINT (the default).",
        discussion: """
            POST an offer to /whip/NAME to publish, to /whep/NAME to watch. /streams has the list, /metrics what is \
            counted, /healthz whether the server is well.
            """)

    @OptionGroup var server: ServeOptions
    @OptionGroup var media: MediaOptions

    func run() async throws {
        try await server.serve { try makeHost(media) }
    }
}
