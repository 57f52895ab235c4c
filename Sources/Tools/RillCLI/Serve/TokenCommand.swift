#if Server
import ArgumentParser
import RillServer
import RillWHIP

/// `rill token`: prints a bearer token.
struct TokenCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "token", abstract: "Print a token for a server's publishers and viewers.",
        usage: "rill token --secret-file <file> [<options>]",
        discussion: """
            The token is a JSON web token, signed with the secret (HMAC, SHA-256). Its claims publish and watch are the \
            names of streams, or "*" for all; sub is whose it is, metrics whether it may read /metrics; exp is when it \
            expires.

            Examples:
              openssl rand -base64 32 >secret
              rill token --secret-file secret --publish stage --watch '*'
            """)

    @Option(help: ArgumentHelp("The file with the server's secret.", valueName: "file"))
    var secretFile: String

    @Option(help: ArgumentHelp("A stream that may be published; * for all.", valueName: "name"))
    var publish: [String] = []

    @Option(help: ArgumentHelp("A stream that may be watched; * for all.", valueName: "name"))
    var watch: [String] = []

    @Flag(help: "It may read /metrics.")
    var metrics = false

    @Option(
        help: ArgumentHelp(
            "Whose it is. Limits count all tokens of a subject together, and a publisher replaces itself.",
            valueName: "name"))
    var subject: String?

    @Option(help: ArgumentHelp("For how long it is valid: 90s, 30m, 24h, 7d.", valueName: "time"))
    var expires = LifetimeArgument(argument: "24h")!

    func validate() throws {
        guard !publish.isEmpty || !watch.isEmpty || metrics else {
            throw ValidationError("Give --publish, --watch or --metrics.")
        }
        for name in publish + watch where name != "*" && !StreamName.isValid(name) {
            throw ValidationError("\(name) cannot be a stream. \(StreamName.rule)")
        }
    }

    func run() throws {
        try waiting {
            let tokens = try await SignedTokens(secretFile: secretFile)
            try StandardOutput.print(
                try await tokens.token(
                    publish: names(publish), watch: names(watch), metrics: metrics, subject: subject,
                    lifetime: expires.duration))
        }
    }

    private func names(_ words: [String]) -> StreamNames { words.contains("*") ? .all : .only(Set(words)) }
}

/// A time with its unit, from a second to ten years.
struct LifetimeArgument: ExpressibleByArgument, Sendable {
    let duration: Duration
    private let text: String

    init?(argument: String) {
        let units: [Character: Int] = ["s": 1, "m": 60, "h": 3600, "d": 86400]
        guard let unit = argument.last.flatMap({ units[$0] }), let count = Int(argument.dropLast()), count > 0,
            count <= 315_360_000 / unit
        else { return nil }
        (duration, text) = (.seconds(count * unit), argument)
    }

    var defaultValueDescription: String { text }
}
#endif
