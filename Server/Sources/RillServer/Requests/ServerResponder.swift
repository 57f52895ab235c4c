import HTTPTypes
import Hummingbird
import Logging
import NIOCore
import RillWHIP

/// Answers requests: pages, health and metrics here, all else by the endpoint.
struct ServerResponder<Host: StreamHost>: HTTPResponder {
    typealias Context = BasicRequestContext

    let endpoint: WHIPEndpoint<Host>
    let tokens: (any TokenVerifier)?
    let metrics: ServerMetrics
    let logger: Logger
    /// Another one for each run of the server, as an entity tag.
    private let instance = "\"\(UInt64.random(in: 0 ... .max))\""

    init(
        endpoint: WHIPEndpoint<Host>, tokens: (any TokenVerifier)?, metrics: ServerMetrics, logger: Logger
    ) {
        (self.endpoint, self.tokens, self.metrics, self.logger) = (endpoint, tokens, metrics, logger)
    }

    func respond(to request: Request, context: Context) async throws -> Response {
        let start = ContinuousClock.now
        let response = try await answer(request)
        let duration = start.duration(to: .now)
        metrics.answered(method: request.method.rawValue, status: response.status.code, after: duration)
        log(request, response.status, duration)
        return response
    }

    private func answer(_ request: Request) async throws -> Response {
        let path = request.head.path?.prefix { $0 != "?" && $0 != "#" } ?? ""
        if let response = ownResponse(path) {
            switch request.method {
            case .get: return response
            case .head: return response.createHeadResponse()
            default: return Response(status: .methodNotAllowed, headers: [.allow: "GET, HEAD"])
            }
        }
        let whip = try await WHIPRequest(request, limit: endpoint.settings.maximumBodyByteCount)
        return Response(endpoint.respond(to: whip, access: await access(of: whip)))
    }

    /// Logs what was answered: new sessions at the level info, all else at debug. Identifiers of sessions are left out.
    private func log(_ request: Request, _ status: HTTPResponse.Status, _ duration: Duration) {
        let path = request.head.path ?? ""
        let shown = path.hasPrefix("/session/") ? "/session/…" : path.prefix { $0 != "?" }.prefix(100)
        logger.log(
            level: status == .created ? .info : .debug, "\(request.method) \(shown) \(status.code)",
            metadata: ["ms": "\(duration / .milliseconds(1))"])
    }

    private func access(of request: WHIPRequest) async -> StreamAccess {
        guard let tokens else { return .unrestricted }
        guard let token = request.headers.bearerToken else { return .missing }
        return await tokens.access(with: token)
    }

    /// What is not the endpoint's.
    private func ownResponse(_ path: Substring) -> Response? {
        switch path {
        case "/healthz":
            var response = Response("ok\n", type: "text/plain; charset=utf-8")
            // Tells pages that the server was started again: their sessions are gone.
            response.headers[.eTag] = instance
            return response
        case "/metrics":
            let streams = endpoint.host.streams
            let viewerCount = streams.reduce(0) { $0 + $1.viewerCount }
            return Response(
                metrics.text(
                    streamCount: streams.count, viewerCount: viewerCount, totals: endpoint.host.totals),
                type: "text/plain; version=0.0.4; charset=utf-8")
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
