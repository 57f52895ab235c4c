#if Server
import HTTPTypes
import Hummingbird
import Logging
import NIOCore
import RillWHIP

/// Answers requests: pages, health and metrics here, all else by the endpoint.
struct ServerResponder<Host: StreamHost>: HTTPResponder {
    let endpoint: WHIPEndpoint<Host>
    let tokens: (any TokenVerifier)?
    let hosts: AllowedHosts
    let gate: AddressGate
    let metrics: ServerMetrics
    let rooms: RoomRequests?
    let logger: Logger
    /// Another one for each run of the server, as an entity tag.
    private let instance = "\"\(UInt64.random(in: 0 ... .max))\""

    /// What is known of a request beside itself.
    struct Context: RequestContext {
        var coreContext: CoreRequestContextStorage
        let channel: any Channel

        init(source: ApplicationRequestContextSource) {
            coreContext = .init(source: source)
            channel = source.channel
        }
    }

    init(
        endpoint: WHIPEndpoint<Host>, tokens: (any TokenVerifier)?, hosts: AllowedHosts, gate: AddressGate,
        metrics: ServerMetrics, rooms: RoomRequests?,
        logger: Logger
    ) {
        (self.endpoint, self.tokens, self.hosts, self.gate) = (endpoint, tokens, hosts, gate)
        (self.metrics, self.rooms, self.logger) = (metrics, rooms, logger)
    }

    func respond(to request: Request, context: Context) async throws -> Response {
        let start = ContinuousClock.now
        var response = try await answer(request, context)
        if request.method == .head { response = response.createHeadResponse() }
        let duration = start.duration(to: .now)
        metrics.answered(method: request.method.rawValue, status: response.status.code, after: duration)
        log(request, response.status, duration)
        return response
    }

    private func answer(_ request: Request, _ context: Context) async throws -> Response {
        if let refusal = hosts.refusal(of: request.head.authority) { return Response(refusal) }
        var whip = WHIPRequest(request)
        let address = gate.client(
            of: context.channel, forwardedFor: whip.headers.values(of: "X-Forwarded-For"))
        if case .refused(let time) = gate.request(address) {
            return Response(endpoint.refusal(ofTooManyRequests: whip, after: time))
        }
        let path = request.head.path?.prefix { $0 != "?" && $0 != "#" } ?? ""
        if path == "/metrics" {
            return try await only(readable: request) { () async -> Response in await metricsResponse(to: whip) }
        }
        if let rooms, path.hasPrefix("/operator/") {
            return try await OperatorRequests(server: rooms.server, origins: rooms.origins).respond(
                to: request, path, await token(of: whip))
        }
        if let response = try await rooms?.respond(to: request, path, channel: context.channel) { return response }
        if let response = ownResponse(path) { return try await only(readable: request) { response } }
        let token = await token(of: whip)
        // Before the body is read: what is refused anyway costs no more than its header.
        if let refusal = endpoint.refusal(of: whip, access: token.access) { return Response(refusal) }
        if request.expectsContinue {
            try await context.channel.triggerUserOutboundEvent(RequestHeadHandler.ContinueEvent()).get()
        }
        try await whip.readBody(of: request, limit: endpoint.settings.maximumBodyByteCount)
        let client = StreamClient(subject: token.subject, bearer: token.bearer, address: address)
        let response = endpoint.respond(to: whip, access: token.access, from: client)
        if response.status == 201, let session = response.headers["Location"] {
            // No client connects to a session whose response it does not have.
            let end = { @Sendable [endpoint] in
                _ = endpoint.respond(to: WHIPRequest("DELETE", session), access: .unrestricted)
            }
            let event = RequestHeadHandler.SessionEvent(end: end)
            do { try await context.channel.triggerUserOutboundEvent(event).get() } catch { end() }
        }
        return Response(response)
    }

    /// The response of a resource that is only read.
    private func only(readable request: Request, _ response: () async -> Response) async throws -> Response {
        switch request.method {
        case .get, .head: await response()
        default: Response(status: .methodNotAllowed, headers: [.allow: "GET, HEAD"])
        }
    }

    /// Logs what was answered: new sessions at the level info, all else at debug. Identifiers of sessions are left out.
    private func log(_ request: Request, _ status: HTTPResponse.Status, _ duration: Duration) {
        let path = request.head.path ?? ""
        let shown = path.hasPrefix("/session/") ? "/session/…" : path.prefix { $0 != "?" }.prefix(100)
        logger.log(
            level: status == .created ? .info : .debug, "\(request.method) \(shown) \(status.code)",
            metadata: ["ms": "\(duration / .milliseconds(1))"])
    }

    private func token(of request: WHIPRequest) async -> CheckedToken {
        guard let tokens else { return CheckedToken(.unrestricted, readsMetrics: true, operates: true) }
        guard let token = request.headers.bearerToken else { return CheckedToken(.missing) }
        return await tokens.check(token)
    }

    /// The metrics: they tell how many watch what, so they need a token where anything does.
    private func metricsResponse(to request: WHIPRequest) async -> Response {
        let token = await token(of: request)
        guard token.readsMetrics else { return Response(refusing: token) }
        let streams = endpoint.host.streams
        var levels = endpoint.host.levels
        levels["streams"] = streams.count
        levels["viewers"] = streams.reduce(0) { $0 + $1.viewerCount }
        var totals = endpoint.host.totals.merging(gate.totals) { host, _ in host }
        if let rooms {
            let (statistics, images) = (await rooms.server.statistics, await rooms.imageCounts())
            levels.merge(statistics.levels.merging(images.levels) { own, _ in own }) { own, _ in own }
            totals.merge(statistics.totals.merging(images.totals) { own, _ in own }) { own, _ in own }
        }
        return Response(
            metrics.text(levels: levels, totals: totals),
            type: "text/plain; version=0.0.4; charset=utf-8")
    }

    /// What is not the endpoint's.
    private func ownResponse(_ path: Substring) -> Response? {
        switch path {
        case "/healthz":
            var response = Response("ok\n", type: "text/plain; charset=utf-8")
            // Tells pages that the server was started again: their sessions are gone.
            response.headers[.eTag] = instance
            return response
        default:
            guard let file = StaticPages.file(at: path) else { return nil }
            var response = Response(
                status: .ok, headers: [.contentType: file.type],
                body: ResponseBody(byteBuffer: ByteBuffer(bytes: file.bytes)))
            response.headers[.contentSecurityPolicy] = StaticPages.securityPolicy
            response.headers[.xContentTypeOptions] = "nosniff"
            return response
        }
    }
}

extension Response {
    fileprivate init(_ text: String, type: String) {
        self.init(
            status: .ok, headers: [.contentType: type, .cacheControl: "no-store"],
            body: ResponseBody(byteBuffer: ByteBuffer(string: text)))
    }
}

extension WHIPRequest {
    /// A request of Hummingbird's, without its body.
    init(_ request: Request) {
        var headers = WHIPHeaders()
        for field in request.headers { headers.append(field.name.rawName, field.value) }
        self.init(request.method.rawValue, request.head.path ?? "", headers: headers)
    }

    /// Reads the body. Bytes that are not UTF-8 become U+FFFD.
    ///
    /// - Parameters:
    ///   - request: the request.
    ///   - limit: the longest body, in bytes. Of a longer one a little more than that is read, for the endpoint to see.
    /// - Throws: what ends the connection.
    mutating func readBody(of request: Request, limit: Int) async throws {
        var body = ByteBuffer()
        for try await piece in request.body {
            body.writeImmutableBuffer(piece)
            guard body.readableBytes <= limit else { break }
        }
        self.body = String(decoding: body.readableBytesView, as: UTF8.self)
    }
}

extension Response {
    /// An endpoint's response for Hummingbird.
    init(_ response: WHIPResponse) {
        var headers = HTTPFields()
        for field in response.headers.fields {
            guard let name = HTTPField.Name(field.name) else { continue }
            headers.append(HTTPField(name: name, value: field.value))
        }
        let body =
            response.body.isEmpty ? ResponseBody() : ResponseBody(byteBuffer: ByteBuffer(string: response.body))
        self.init(status: HTTPResponse.Status(code: response.status), headers: headers, body: body)
        // 204 has no length (RFC 9110 §8.6).
        if response.status == 204 { self.headers[.contentLength] = nil }
    }
}
#endif
