import ArgumentParser
import RillWHIP
import ServeCommand

/// `rill-serve` with a host without media, for tests.
@main
struct MemoryServe: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "memory-serve", subcommands: [Serve.self, TokenCommand.self], defaultSubcommand: Serve.self)

    struct Serve: AsyncParsableCommand {
        @OptionGroup var server: ServeOptions
        @OptionGroup var media: MediaOptions

        func run() async throws {
            try await server.serve { MemoryStreamHost(sessionLimit: 200) }
        }
    }
}
