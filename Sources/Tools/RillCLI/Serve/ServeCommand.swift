#if Server
import ArgumentParser
import NIOCore
import RillServer
import RillThreads
import RillWHIP

/// `rill serve`: the server of WHIP and WHEP.
struct ServeCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "serve",
        abstract: "Serve streams by URL (WHIP to publish them, WHEP to watch them, web pages for both), and rooms.",
        discussion: """
            Runs until SIGTERM, SIGINT or SIGHUP. POST an offer to /whip/NAME to publish, to /whep/NAME to watch. \
            /streams has the list, /metrics what is counted (with a secret, for tokens of `rill token --metrics` only), \
            /healthz whether the server is well. /rooms is the WebSocket of rooms: people join by name, see and hear each \
            other, and write to each other. What a client has taken beyond its limits is refused with 429, what all \
            have taken with 503.

            Options may be in a file of JSON (--config), and in variables of the environment: --secret-file is \
            "secretFile" in the file, and RILL_SERVE_SECRET_FILE. A list in a variable has spaces between its parts. An \
            option counts before a variable, and that before the file.

            Examples:
              rill serve
              rill serve --secret-file secret --tls cert.pem key.pem --http 443
              rill publish clip.y4m http://127.0.0.1:8080/whip/stage
            """)

    @OptionGroup
    var server: ServeOptions

    @OptionGroup(title: "Media")
    var media: MediaOptions

    @Option(
        help: ArgumentHelp(
            "The folder where chats of rooms and their images are kept. Default: chats are in memory, without images.",
            valueName: "folder"), completion: .directory)
    var data: String?

    /// Read before the arguments are: see ``ServeConfiguration``.
    @Option(
        help: ArgumentHelp("A file of JSON with options.", valueName: "file"), completion: .file(extensions: ["json"]))
    var config: String?

    @OptionGroup(title: "Data")
    var space: SpaceOptions

    /// Answers requests without any media behind them.
    @Flag(help: .hidden)
    var withoutMedia = false

    func run() throws {
        // Each loop of events has one, and traps without it; tasks have as many.
        try NamedThread.require(2 * System.coreCount + 4, "rill-serve")
        try waiting {
            if withoutMedia {
                try await server.serve { MemoryStreamHost(sessionLimit: 200) }
            } else {
                let storage = try data.map { folder in
                    try RoomStorage(folder: folder, settings: space.settings, limits: space.limits)
                }
                try await server.serve {
                    try media.host()
                } rooms: { host, tokens, logger in
                    RoomService(
                        host: host, tokens: tokens, settings: media.rooms, storage: storage, logger: logger)
                }
            }
        }
    }
}

/// What chats and their images may take of the disk.
struct SpaceOptions: ParsableArguments, Sendable {
    @Option(
        help: ArgumentHelp(
            "The MiB that the database of chats may take; then messages fail. Default: what the disk holds.",
            valueName: "mib"))
    var allChats: Int?

    @Option(help: ArgumentHelp("The MiB that all images may take; then another one is refused.", valueName: "mib"))
    var allImages = ImageLimits().totalByteCount >> 20

    @Option(help: ArgumentHelp("The MiB that the images of a room may take.", valueName: "mib"))
    var roomImages = ImageLimits().roomByteCount >> 20

    func validate() throws {
        // Bytes are counted in 64 bits.
        guard [allChats ?? 1, allImages, roomImages].allSatisfy((1...1 << 40).contains) else {
            throw ValidationError("--all-chats, --all-images and --room-images must be positive.")
        }
    }

    var settings: RoomDatabaseSettings {
        var settings = RoomDatabaseSettings()
        settings.byteLimit = allChats.map { $0 << 20 }
        return settings
    }

    var limits: ImageLimits {
        var limits = ImageLimits()
        (limits.roomByteCount, limits.totalByteCount) = (roomImages << 20, allImages << 20)
        return limits
    }
}

/// Runs an asynchronous function to its end, on a thread that may wait for it: the main thread.
func waiting(_ body: @escaping @Sendable () async throws -> Void) throws {
    let end = Monitor<Result<Void, any Error>?>(nil)
    Task {
        let result: Result<Void, any Error>
        do { result = .success(try await body()) } catch { result = .failure(error) }
        end.change { $0 = result }
    }
    try end.wait { $0 }.get()
}
#endif
