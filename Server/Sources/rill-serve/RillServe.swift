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
        commandName: "serve", abstract: "Runs the server until SIGTERM, SIGINT or SIGHUP (the default).",
        discussion: """
            POST an offer to /whip/NAME to publish, to /whep/NAME to watch. /streams has the list, /metrics what is \
            counted (with a secret, for tokens of "token --metrics" only), /healthz whether the server is well. What a \
            client has taken beyond its limits is refused with 429, what all have taken with 503.
            """)

    @OptionGroup var server: ServeOptions
    @OptionGroup var media: MediaOptions

    func run() async throws {
        try await server.serve { try makeHost(media) }
    }
}
