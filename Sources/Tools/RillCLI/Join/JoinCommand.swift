#if Server
import ArgumentParser
import Rill
import RillContainers
import RillCore
import RillRoomClient
import RillPeer
import RillScenes
import RillServer
import RillThreads

/// `rill join`: members of a room, for tests and demonstrations.
struct JoinCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "join",
        abstract: "Join a room of `rill serve` with bots that publish a clip and count what they see.",
        usage: "rill join <url> --room <name> [--clip <clip>] [--count <n>] [<options>]",
        discussion: """
            Each bot is a member like others, with a WebSocket and a connection of its own. The clip is encoded once, \
            as high and as low with 160x120 at 5 frames a second, and sent by all of them over and over. What they \
            receive is counted and not decoded, unless they --decode it.

            A bot whose server or path is gone comes back by itself. All leave after --duration, or with Ctrl-C, and a \
            table or with --json an object says what each has seen.

            Examples:
              rill join http://127.0.0.1:8080 --room lobby
              rill join http://127.0.0.1:8080 --room lobby --clip clip.y4m --count 4
              rill join https://example.org --room lobby --secret-file secret --json
            """)

    @Argument(help: "The server, as https://HOST or https://HOST/rooms.")
    var url: String

    @Option(help: ArgumentHelp("The room.", valueName: "name"))
    var room: String

    @Option(help: "What they publish: the first 10 s of a clip. Without it the portrait scene.", completion: .clips)
    var clip: String?

    @Option(help: "A file with sound in Opus that they publish too: Ogg or WebM.", completion: .file())
    var sound: String?

    @Option(help: ArgumentHelp("How many bots.", valueName: "count"))
    var count = 1

    @Option(help: ArgumentHelp("Their name, before a number.", valueName: "name"))
    var name = "bot"

    @Option(
        help: ArgumentHelp(
            "The pictures that each wants: high, low or none of all, or so many of each.",
            valueName: "high=4,low=12"))
    var want = BotWants(argument: "high=4,low=12")!

    @Option(help: "How long they stay (default: until Ctrl-C).", transform: durationNotation)
    var duration: MediaDuration?

    @Option(help: ArgumentHelp("How many further bots join or leave each second.", valueName: "rate"))
    var joinLeave = 0.0

    @Option(
        help: "How often they go over from high to low and back, in what they want (default: never).",
        transform: durationNotation)
    var switchEvery: MediaDuration?

    @Option(help: "Size of the high layer.", completion: .sizes, transform: resolutionNotation)
    var size = Resolution(width: 640, height: 360)

    @Option(help: "Bitrate of the high layer (default: depends on the size).", transform: bitrateNotation)
    var bitrate: Bitrate?

    @Option(help: "The codec, \(codecValues).", completion: .codecs, transform: codecNotation)
    var codec: VideoCodec = .default

    @Flag(help: "Decode the pictures too, and count frames that cannot be decoded.")
    var decode = false

    @Flag(help: "Print one JSON object instead of a table.")
    var json = false

    @OptionGroup(title: "Server")
    var endpoint: EndpointOptions

    @Option(help: "The server's secret, with which each bot gets a token of its own.", completion: .file())
    var secretFile: String?

    @OptionGroup(title: "End-to-end encryption")
    var encryption: EncryptionOptions

    @OptionGroup(title: "Raw clips")
    var clipOptions: ClipOptions

    /// How much of clip and sound is used.
    private static let longestClip = MediaDuration.seconds(10)
    private static let longestSound = MediaDuration.seconds(60)

    func run() throws {
        guard let address = RoomURL(url) else { throw ValidationError.notURL(url, like: "https://example.org") }
        let interruption = Interruption()
        let clock = LiveClock()
        let webSockets = try endpoint.webSockets(to: address)
        let layers = try codedLayers
        let coded = try readingInput { try CodedClip(source, layers, longest: Self.longestClip) }
        let opus = try sound.map { path in
            try readingInput { try OpusPackets(path: path, longest: Self.longestSound) }
        }
        let seconds = (clock.wallClockAtZero + clock.now.nanoseconds) / 1_000_000_000
        let media = BotMediaSettings(
            clip: coded, sound: opus, slots: want.count,
            bitrate: Bitrate(bitsPerSecond: layers.reduce(0) { $0 + $1.bitrate.bitsPerSecond }),
            certificate: try DTLSCertificate(wallClock: Int(seconds)), decodes: decode,
            wallClockAtZero: clock.wallClockAtZero)
        let settings = BotRun.Settings(
            room: room, name: name, count: count, wants: want, switchInterval: switchEvery, token: try tokens(),
            encryption: try encryption.keys(of: room), changesPerSecond: joinLeave, timeout: endpoint.wait)
        let streams = layers.map { "\($0.rid) \($0.resolution)" }.joined(separator: " and ")
        StandardError.print("joining \(room) at \(address.authority): \(count) with \(streams)")
        let run = try BotRun(settings, media, over: webSockets, clock: clock)
        let start = clock.now
        let end = duration.map { start + $0 } ?? .distantFuture
        let reports = try run.run { interruption.isRequested || clock.now >= end }
        try show(BotsReport(room: room, seconds: (clock.now - start).seconds, bots: reports, guests: run.guestCounts))
        let others = reports.filter { $0.status != "connected" }
        // Who presses Ctrl-C does not wait for them.
        guard others.isEmpty || interruption.isRequested else {
            throw CommandError(
                "not in the room at the end: \(others.map { "\($0.name), \($0.status)" }.joined(separator: "; "))",
                .partialResult)
        }
    }

    /// Pictures to code.
    private var source: any FrameSource {
        get throws {
            guard let clip else { return try PortraitScene(resolution: size, frameRate: 30) }
            return InputSource(try readingInput { try clipOptions.open(clip) })
        }
    }

    private var codedLayers: [LayerSettings] {
        get throws {
            let high = LayerSettings.high(
                size, bitrate: bitrate ?? .suggested(for: size, codec: codec), codec: codec)
            let layers = [high, .low(codec)]
            do throws(CodecError) { for layer in layers { try layer.validate() } } catch {
                throw ValidationError("\(error)")
            }
            return layers
        }
    }

    /// What gives each bot its token: one of its own, where the secret is known.
    private func tokens() throws -> (String) throws -> String? {
        guard let secretFile else {
            let token = try endpoint.readToken()
            return { _ in token }
        }
        return { [room] name in
            let made = Monitor<String?>(nil)
            try waiting {
                let token = try await SignedTokens(secretFile: secretFile).token(
                    rooms: .only([room]), identity: name, name: name, lifetime: .seconds(86_400))
                made.change { $0 = token }
            }
            return made.withLock { $0 }
        }
    }

    // MARK: The end

    private func show(_ report: BotsReport) throws {
        guard !json else { return try JSONOutput.print(report) }
        var table = TextTable(["bot", "state", "sees", "frames", "first picture", "freezes", "returns", "errors"])
        for bot in report.bots {
            let delays = bot.firstPictureMilliseconds.sorted()
            table.add([
                bot.name, bot.status, "\(Set(bot.received.map(\.uid)).count)",
                "\(bot.received.reduce(0) { $0 + $1.frames })",
                delays.isEmpty ? "–" : "\(Decimal.text(delays[delays.count / 2], decimals: 0)) ms", "\(bot.freezes)",
                "\(bot.returns.count)", "\(bot.errors.values.reduce(0, +))",
            ])
        }
        try StandardOutput.print(table.text)
    }

    func validate() throws {
        try requirePositive("--duration", duration)
        try requirePositive("--switch-every", switchEvery)
        guard RoomURL(url) != nil else { throw ValidationError.notURL(url, like: "https://example.org") }
        guard (1...100).contains(count) else { throw ValidationError("--count goes from 1 to 100") }
        guard joinLeave >= 0, joinLeave <= 20 else { throw ValidationError("--join-leave goes from 0 to 20") }
        guard secretFile == nil || endpoint.token == nil && endpoint.tokenFile == nil else {
            throw ValidationError("--secret-file makes tokens: leave --token and --token-file out")
        }
        guard !room.isEmpty else { throw ValidationError("--room needs a name") }
    }
}

/// What all bots saw.
struct BotsReport: Encodable {
    let room: String
    let seconds: Double
    let bots: [BotReport]
    /// Those of `--join-leave`.
    let guests: BotRun.Guests
}
#endif
