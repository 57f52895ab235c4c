public import ArgumentParser
import Logging
import Metrics
import RillServer
public import RillWHIP
import ServiceLifecycle

/// The options of a server, and what runs it.
public struct ServeOptions: ParsableArguments, Sendable {
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

    /// The defaults.
    public init() {}

    /// Checks what single options cannot.
    public func validate() throws {
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
    /// - Parameter makeHost: makes what is served. It is called after the options were checked.
    public func serve(_ makeHost: () async throws -> some StreamHost) async throws {
        let metrics = PrometheusFactory()
        MetricsSystem.bootstrap(metrics)
        LoggingSystem.bootstrap { label in StreamLogHandler.standardError(label: label) }
        var logger = Logger(label: "rill-serve")
        logger.logLevel = verbose ? .debug : .info

        var tokens: SignedTokens?
        if let secretFile { tokens = try await SignedTokens(secretFile: secretFile) }
        let settings = settings
        let scheme = tls.isEmpty ? "http" : "https"
        let server = try WHIPServer(
            host: try await makeHost(), settings: settings, tokens: tokens, metrics: metrics, logger: logger
        ) { [hasSecret = tokens != nil] port in
            let address = settings.address.contains(":") ? "[\(settings.address)]" : settings.address
            print("Listening on \(scheme)://\(address):\(port)" + (hasSecret ? "" : notice))
            flushOutput()
        }
        var configuration = ServiceGroupConfiguration(
            services: [.init(service: server, successTerminationBehavior: .gracefullyShutdownGroup)],
            gracefulShutdownSignals: EndingSignals.all, logger: logger)
        // Requests that take longer than this are cut off.
        configuration.maximumGracefulShutdownDuration = .seconds(5)
        try await ServiceGroup(configuration: configuration).run()
    }

    private var settings: ServerSettings {
        var limits = ServerLimits()
        limits.connectionCount = DescriptorLimit.connectionCount(atMost: connections)
        limits.requestSeconds = requestTimeout
        limits.idleSeconds = idleTimeout
        limits.address = quota.address
        var settings = ServerSettings(
            address: host ?? (secretFile == nil ? "127.0.0.1" : "0.0.0.0"), port: Int(port),
            tls: tls.count == 2 ? TLSFiles(certificate: tls[0], key: tls[1]) : nil, limits: limits,
            iceServers: iceServers.map(\.server))
        settings.hostNames = Set(allowHost)
        settings.proxies = TrustedProxies(Set(trustedProxy.map(\.ip)))
        return settings
    }
}

private let notice = ", for this machine only: without --secret-file anybody who can connect may publish and watch"
