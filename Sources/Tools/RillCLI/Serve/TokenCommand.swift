#if Server
import ArgumentParser
import RillRooms
import RillServer
import RillWHIP

/// `rill token`: prints a bearer token.
struct TokenCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "token", abstract: "Print a token for a server's publishers, viewers and rooms.",
        usage: "rill token --secret-file <file> [<options>]",
        discussion: """
            The token is a JSON web token, signed with the secret (HMAC, SHA-256). Its claims publish and watch are the \
            names of streams, or "*" for all; sub is whose it is, metrics whether it may read /metrics, operate whether it may revoke tokens; exp is when it \
            expires. A token for rooms has their names, the subject's name and role instead.

            Examples:
              openssl rand -base64 32 >secret
              rill token --secret-file secret --publish stage --watch '*'
              rill token --secret-file secret --room lobby --name Anna --role host
            """)

    @Option(help: ArgumentHelp("The file with the server's secret.", valueName: "file"))
    var secretFile: String

    @Option(help: ArgumentHelp("A stream that may be published; * for all.", valueName: "name"))
    var publish: [String] = []

    @Option(help: ArgumentHelp("A stream that may be watched; * for all.", valueName: "name"))
    var watch: [String] = []

    @Option(help: ArgumentHelp("A room that it lets its bearer into; * for all.", valueName: "name"))
    var room: [String] = []

    @Option(help: ArgumentHelp("The name that is shown in rooms.", valueName: "name"))
    var name: String?

    @Option(help: ArgumentHelp("The highest role in rooms.", valueName: "role"))
    var role = RoleArgument.speaker

    @Flag(help: "It may read /metrics, and who is in which room.")
    var metrics = false

    @Flag(help: "It may revoke others' tokens for rooms, on the page /operator.")
    var operate = false

    @Option(
        help: ArgumentHelp(
            "Whose it is. Limits count all tokens of a subject together, and a publisher replaces itself.",
            valueName: "name"))
    var subject: String?

    @Option(help: ArgumentHelp("For how long it is valid: 90s, 30m, 24h, 7d.", valueName: "time"))
    var expires = LifetimeArgument(argument: "24h")!

    func validate() throws {
        guard !publish.isEmpty || !watch.isEmpty || metrics || operate || !room.isEmpty else {
            throw ValidationError("Give --publish, --watch, --metrics, --operate or --room.")
        }
        guard room.isEmpty || publish.isEmpty && watch.isEmpty && !metrics && !operate else {
            throw ValidationError("A token is for rooms, or for streams: leave out --room, or the others.")
        }
        for name in publish + watch where name != "*" && !StreamName.isValid(name) {
            throw ValidationError("\(name) cannot be a stream. \(StreamName.rule)")
        }
    }

    func run() throws {
        try waiting {
            let tokens = try await SignedTokens(secretFile: secretFile)
            guard room.isEmpty else {
                return try StandardOutput.print(
                    try await tokens.token(
                        rooms: room.contains("*") ? .all : .only(room), identity: subject, name: name, role: role.role,
                        lifetime: expires.duration))
            }
            try StandardOutput.print(
                try await tokens.token(
                    publish: names(publish), watch: names(watch), metrics: metrics, operate: operate,
                    subject: subject,
                    lifetime: expires.duration))
        }
    }

    private func names(_ words: [String]) -> StreamNames { words.contains("*") ? .all : .only(Set(words)) }
}

/// A role on the command line.
enum RoleArgument: String, ExpressibleByArgument, CaseIterable {
    case host, speaker, viewer

    var role: Role {
        switch self {
        case .host: .host
        case .speaker: .speaker
        case .viewer: .viewer
        }
    }
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
