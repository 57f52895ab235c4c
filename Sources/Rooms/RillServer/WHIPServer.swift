#if Server
import Hummingbird
import HummingbirdCore
import HummingbirdTLS
public import Logging
import NIOCore
public import RillWHIP
public import ServiceLifecycle

/// A server of WHIP and WHEP over HTTP or HTTPS, with `/healthz`, `/metrics` and pages.
///
/// ```swift
/// let server = try WHIPServer(host: host, settings: ServerSettings(port: 8080), tokens: nil, logger: logger)
/// try await ServiceGroup(services: [server], gracefulShutdownSignals: [.sigterm, .sigint], logger: logger).run()
/// ```
///
/// It runs once. A graceful shutdown stops listening, answers what has been asked, and ends all sessions.
public final class WHIPServer<Host: StreamHost>: Service {
    /// What answers the requests for streams.
    public let endpoint: WHIPEndpoint<Host>
    private let application: Application<ServerResponder<Host>>
    private let rooms: RoomService?

    /// A server that does not run yet.
    ///
    /// - Parameters:
    ///   - host: what is served.
    ///   - settings: where and how.
    ///   - tokens: what checks bearer tokens; `nil` if none are needed. Then only loopback is allowed.
    ///   - rooms: the rooms that are served; `nil` for none.
    ///   - logger: where it logs to. Neither tokens nor identifiers of sessions are logged.
    ///   - onListening: called with the port once clients can connect.
    /// - Throws: `openWithoutSecret` or `badCertificate`.
    public init(
        host: Host, settings: ServerSettings, tokens: (any TokenVerifier)?, rooms: RoomService? = nil,
        logger: Logger,
        onListening: @escaping @Sendable (Int) async -> Void = { _ in }
    ) throws(ServerError) {
        guard tokens != nil || settings.isLoopback else { throw .openWithoutSecret(address: settings.address) }
        let endpointSettings = WHIPEndpointSettings(
            iceServers: settings.iceServers.issued(), maximumBodyByteCount: settings.limits.bodyByteCount,
            origins: tokens == nil ? .loopback : .any)
        endpoint = WHIPEndpoint(host: host, settings: endpointSettings)
        self.rooms = rooms
        let metrics = ServerMetrics()
        var configuration = ApplicationConfiguration(
            address: .hostname(settings.address, port: settings.port), serverName: "rill")
        configuration.availableConnectionsDelegate = MaximumAvailableConnections(
            settings.limits.connectionCount, logger: logger)
        let gate = AddressGate(settings.limits.address, settings.proxies)
        application = Application(
            responder: ServerResponder(
                endpoint: endpoint, tokens: tokens, hosts: settings.hosts, gate: gate, metrics: metrics,
                rooms: rooms.map {
                    RoomRequests(
                        $0, origins: endpointSettings.origins, gate: gate, iceServers: settings.iceServers)
                }, logger: logger),
            server: try Self.builder(
                settings, metrics, gate,
                rooms.map {
                    RoomSocket(
                        server: $0.server, hosts: settings.hosts, origins: endpointSettings.origins, gate: gate)
                }),
            configuration: configuration,
            onServerRunning: { channel in
                await rooms?.server.start(on: channel.eventLoop)
                await onListening(channel.localAddress?.port ?? settings.port)
            },
            logger: logger)
    }

    /// Serves until a graceful shutdown, or until the task is canceled.
    ///
    /// - Throws: what keeps the server from listening.
    public func run() async throws {
        defer { endpoint.endSessions() }
        guard let rooms else { return try await application.run() }
        let result: Result<Void, any Error>
        do { result = .success(try await run(rooms)) } catch { result = .failure(error) }
        await rooms.close()
        try result.get()
    }

    private func run(_ rooms: RoomService) async throws {
        try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask { await rooms.run() }
            group.addTask {
                // Clients of rooms come back to the next server; their connections would keep this one.
                try await withGracefulShutdownHandler {
                    try await self.application.run()
                } onGracefulShutdown: {
                    Task { await rooms.server.drain() }
                }
            }
            // The server's end is what it waits for: events of media have none.
            defer { group.cancelAll() }
            try await group.next()
        }
    }

    private static func builder(
        _ settings: ServerSettings, _ metrics: ServerMetrics, _ gate: AddressGate, _ socket: RoomSocket?
    ) throws(ServerError) -> HTTPServerBuilder {
        let limits = settings.limits
        let deadline = TimeAmount.seconds(Int64(limits.requestSeconds))
        let configuration = HTTP1Channel.Configuration(
            additionalChannelHandlers: [RequestDeadlineHandler(deadline: deadline, metrics: metrics)],
            idleTimeout: .seconds(Int64(limits.idleSeconds)),
            httpDecoderConfiguration: .init(
                maxHeaderFieldSize: limits.fieldByteCount, maxHeaderListSize: limits.headerByteCount,
                maxHeaderFieldCount: limits.fieldCount))
        let http = HTTPServerBuilder { responder in
            ConnectionChannel(
                http: RequestChannel(http: HTTP1Channel(responder: responder, configuration: configuration)),
                socket: socket, gate: gate, deadline: deadline)
        }
        guard let tls = settings.tls else { return http }
        let tlsConfiguration = try tls.configuration()
        do { return try .tls(http, tlsConfiguration: tlsConfiguration) } catch {
            throw .badCertificate(path: tls.certificate, reason: "\(error)")
        }
    }
}
#endif
