#if Server
import ArgumentParser
import Glibc
import Logging
import RillCore
import RillServer
import RillWHIP
import ServiceLifecycle
import UnixSignals

/// The options of a server, and what runs it.
struct ServeOptions: ParsableArguments, Sendable {
    @Option(
        name: .customLong("http"), help: ArgumentHelp("The TCP port for HTTP, or HTTPS with --tls.", valueName: "port"))
    var port: UInt16 = 8080

    @Option(
        help: ArgumentHelp(
            "The address to listen on. Default: 127.0.0.1 without a secret, 0.0.0.0 with one.", valueName: "address"))
    var host: String?

    @Option(
        parsing: .upToNextOption,
        help: ArgumentHelp("Certificate chain and key, two files of PEM, for HTTPS.", valueName: "cert key"))
    var tls: [String] = []

    @Option(
        help: ArgumentHelp(
            "A file with the secret that signs tokens, 32 bytes or more. Without it no tokens are needed, and the server listens on loopback only.",
            valueName: "file"))
    var secretFile: String?

    @Option(
        name: .customLong("ice-server"),
        help: ArgumentHelp("A STUN or TURN server to tell clients: URL, or URL,USER,PASSWORD.", valueName: "url"))
    var iceServers: [ICEServerArgument] = []

    @Option(
        help: ArgumentHelp(
            "A file with the secret that TURN servers share (coturn's static-auth-secret): each client gets a name and a password for a day.",
            valueName: "file"))
    var turnSecretFile: String?

    @Option(help: ArgumentHelp("The most connections at a time.", valueName: "count"))
    var connections = ServerLimits().connectionCount

    @Option(help: ArgumentHelp("How long a request may take, in seconds.", valueName: "seconds"))
    var requestTimeout = ServerLimits().requestSeconds

    @Option(help: ArgumentHelp("How long a connection may be idle, in seconds.", valueName: "seconds"))
    var idleTimeout = ServerLimits().idleSeconds

    @OptionGroup(title: "Limits")
    var quota: QuotaOptions

    @Option(
        help: ArgumentHelp(
            "A proxy whose X-Forwarded-For says for whom it asks. Default: none is believed.", valueName: "ip"))
    var trustedProxy: [AddressArgument] = []

    @Option(
        help: ArgumentHelp(
            "A name beside localhost under which a server on loopback answers, as of a proxy. Requests for others get 421.",
            valueName: "name"))
    var allowHost: [String] = []

    @Flag(help: "Log every connection and request.")
    var verbose = false

    func validate() throws {
        guard tls.isEmpty || tls.count == 2 else {
            throw ValidationError("--tls needs two files: the certificate chain and its key.")
        }
        guard connections > 0, requestTimeout > 0, idleTimeout > 0 else {
            throw ValidationError("--connections, --request-timeout and --idle-timeout must be positive.")
        }
    }

    /// Serves a host until SIGTERM, SIGINT or SIGHUP (unless it is ignored), and ends its sessions.
    ///
    /// Prints a line with the address once clients can connect.
    ///
    /// - Parameters:
    ///   - makeHost: makes what is served. It is called after the options were checked.
    ///   - makeRooms: makes the rooms on it; `nil` for none.
    func serve<Host: StreamHost>(
        _ makeHost: () async throws -> Host,
        rooms makeRooms: (Host, SignedTokens?, Logger) -> RoomService? = { _, _, _ in nil }
    ) async throws {
        LoggingSystem.bootstrap { label in StreamLogHandler.standardError(label: label) }
        var logger = Logger(label: "rill")
        logger.logLevel = verbose ? .debug : .info

        var tokens: SignedTokens?
        if let secretFile { tokens = try await SignedTokens(secretFile: secretFile) }
        let settings = try settings
        let scheme = tls.isEmpty ? "http" : "https"
        let host = try await makeHost()
        let server = try WHIPServer(
            host: host, settings: settings, tokens: tokens, rooms: makeRooms(host, tokens, logger), logger: logger
        ) { [hasSecret = tokens != nil] port in
            let address = settings.address.contains(":") ? "[\(settings.address)]" : settings.address
            // A reader of a pipe that is gone misses nothing.
            try? StandardOutput.print("Listening on \(scheme)://\(address):\(port)" + (hasSecret ? "" : notice))
        }
        var configuration = ServiceGroupConfiguration(
            services: [.init(service: server, successTerminationBehavior: .gracefullyShutdownGroup)],
            // Without SIGHUP under `nohup`, which ignores it.
            gracefulShutdownSignals: [.sigterm, .sigint] + (Interruption.signals.contains(SIGHUP) ? [.sighup] : []),
            logger: logger)
        // Requests that take longer than this are cut off.
        configuration.maximumGracefulShutdownDuration = .seconds(5)
        do { try await ServiceGroup(configuration: configuration).run() } catch {
            // swift-nio's error has its number in its text only.
            guard "\(error)".contains("errno: \(EADDRINUSE))") else { throw error }
            throw CommandError(
                "TCP port \(port) of \(settings.address) is taken: another program listens there; choose another port "
                    + "with --http, or 0 for any")
        }
    }

    private var settings: ServerSettings {
        get throws {
            var limits = ServerLimits()
            limits.connectionCount = DescriptorLimit.connectionCount(atMost: connections)
            limits.requestSeconds = requestTimeout
            limits.idleSeconds = idleTimeout
            limits.address = quota.address
            var settings = ServerSettings(
                address: host ?? (secretFile == nil ? "127.0.0.1" : "0.0.0.0"), port: Int(port),
                tls: tls.count == 2 ? TLSFiles(certificate: tls[0], key: tls[1]) : nil, limits: limits,
                iceServers: ClientICEServers(
                    iceServers.map(\.server), secret: try turnSecretFile.map { try ServerSecret.bytes(inFile: $0) }))
            settings.hostNames = Set(allowHost)
            settings.proxies = TrustedProxies(Set(trustedProxy.map(\.ip)))
            return settings
        }
    }
}

private let notice = ", for this machine only: without --secret-file anybody who can connect may publish and watch"

/// What clients may take: connections and requests of an address. 0 is no limit.
struct QuotaOptions: ParsableArguments, Sendable {
    @Option(help: ArgumentHelp("The most connections of an address; 0 for no limit.", valueName: "count"))
    var addressConnections = AddressLimits().connections

    @Option(help: ArgumentHelp("The most requests a second of an address; 0 for no limit.", valueName: "count"))
    var addressRequests = AddressLimits().requestsPerSecond

    func validate() throws {
        guard addressConnections >= 0, addressRequests >= 0 else {
            throw ValidationError("--address-connections and --address-requests must not be negative.")
        }
    }

    /// The limits.
    var address: AddressLimits {
        var limits = AddressLimits()
        limits.connections = addressConnections.orUnlimited
        limits.requestsPerSecond = addressRequests.orUnlimited
        limits.requestBurst = min(addressRequests.orUnlimited, .max / 2) * 2
        return limits
    }
}

extension Int {
    /// The number, or for 0 the largest one that can be doubled.
    var orUnlimited: Int { self == 0 ? .max / 2 : Swift.min(self, .max / 2) }
}

/// An IP address on the command line.
struct AddressArgument: ExpressibleByArgument, Sendable {
    let ip: IPAddress

    init?(argument: String) {
        guard let ip = IPAddress(argument) else { return nil }
        self.ip = ip
    }
}

/// An ICE server on the command line: `stun:stun.example.net`, or `turn:turn.example.net,USER,PASSWORD`.
struct ICEServerArgument: ExpressibleByArgument, Sendable {
    let server: ICEServer

    init?(argument: String) {
        let parts = argument.split(separator: ",", maxSplits: 2, omittingEmptySubsequences: false).map(String.init)
        guard ICEServer.isUsable(parts[0]), parts.count == 1 || parts.count == 3 else { return nil }
        server =
            parts.count == 1 ? ICEServer(parts[0]) : ICEServer(parts[0], username: parts[1], credential: parts[2])
    }
}

/// How many files and sockets this process may have open.
///
/// A server that accepts a connection with none left fails at once and tries again, with a whole core. So connections
/// are fewer.
private enum DescriptorLimit {
    /// What is left for sockets of media, files and the runtime.
    static let reserve = 64

    /// Raises the limit as far as the system allows it.
    ///
    /// - Returns: the limit.
    static func raise() -> Int {
        var limit = rlimit()
        guard unsafe getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit) == 0 else { return 1024 }
        limit.rlim_cur = limit.rlim_max
        unsafe setrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)
        // The kernel may have refused.
        unsafe getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)
        return Int(min(limit.rlim_cur, 1 << 20))
    }

    /// How many of the requested connections the process can have.
    static func connectionCount(atMost count: Int) -> Int { min(count, max(1, raise() - reserve)) }
}
#endif
