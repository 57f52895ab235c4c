public import RillCore

/// Answers the requests of publishers (WHIP, RFC 9725) and viewers (WHEP, draft-ietf-wish-whep) for the streams of a
/// host.
///
/// ```swift
/// let endpoint = WHIPEndpoint(host: host)
/// let response = endpoint.respond(to: request, access: .unrestricted)
/// ```
///
/// | path | methods |
/// |---|---|
/// | `/whip/NAME`, `/whep/NAME` | POST of an offer: 201 with the answer, Location and ETag |
/// | `/session/ID` | PATCH of candidates (204) or of an ICE restart (200); DELETE (200) |
/// | `/session/ID/layer` | POST of `{"encodingId": "high"}`: a viewer's layer, `null` for an automatic choice |
/// | `/streams` | GET: the list |
///
/// A publisher replaces the present one of its stream, once it sends frames. A publisher that reconnects sends
/// `If-Match` with the entity tag of its former session, or `If-None-Match: *`. Then it replaces itself only (a
/// session that follows the former one; without the tag, one whose token has the same subject). The response is 412
/// if another publisher sends frames meanwhile.
///
/// Quotas are the host's: 429 with `Retry-After` if the client has used up its own, 503 if all are used up.
///
/// OPTIONS is answered everywhere. Pages of any origin may send requests, unless the settings forbid it: requests
/// carry tokens, never cookies. A session's identifier is its key: a client that knows it may change the session,
/// with or without a token.
///
/// It has no connections, no threads and no clock. `respond` may be called from any thread. The host is called
/// without a lock. Any request gets a response; errors have a body of problem details (RFC 9457).
public final class WHIPEndpoint<Host: StreamHost>: Sendable {
    /// The host.
    public let host: Host
    /// How requests are answered.
    public let settings: WHIPEndpointSettings
    let sessions = Monitor(SessionTable())

    /// An endpoint of a host.
    public init(host: Host, settings: WHIPEndpointSettings = WHIPEndpointSettings()) {
        (self.host, self.settings) = (host, settings)
    }

    /// How many sessions the endpoint knows. The host may have ended some of them.
    public var sessionCount: Int { sessions.withLock { $0.count } }

    /// Answers a request.
    ///
    /// - Parameters:
    ///   - request: the request, with its whole body.
    ///   - access: the sender's permissions.
    ///   - client: the sender.
    public func respond(
        to request: WHIPRequest, access: StreamAccess, from client: StreamClient = StreamClient()
    ) -> WHIPResponse {
        finish(request) { () throws(Problem) in try answer(request, access, client) }
    }

    /// The refusal that does not depend on the body, such as 401. Call it before reading the body.
    ///
    /// - Parameters:
    ///   - request: the request without its body.
    ///   - access: the sender's permissions.
    /// - Returns: the response; `nil` if the body is needed.
    public func refusal(of request: WHIPRequest, access: StreamAccess) -> WHIPResponse? {
        do throws(Problem) {
            try settings.origins.check(request.headers["Origin"])
            let route = try route(of: request, access)
            switch route {
            case .session(let id), .layer(let id): if request.method != "OPTIONS" { _ = try known(id) }
            case .offers, .streams: break
            }
            return nil
        } catch {
            return finish(request) { () throws(Problem) in throw error }
        }
    }

    /// The refusal of a request whose address has sent too many.
    ///
    /// - Parameters:
    ///   - request: the request. Its body is ignored.
    ///   - time: the time until the address may send the next one.
    public func refusal(ofTooManyRequests request: WHIPRequest, after time: MediaDuration) -> WHIPResponse {
        let seconds = max(1, Int(time.seconds.rounded(.up)))
        return finish(request) { () throws(Problem) in
            throw Problem(429, "Your address sends too many requests.", .init("Retry-After", "\(seconds)"))
        }
    }

    private func finish(_ request: WHIPRequest, _ answer: () throws(Problem) -> WHIPResponse) -> WHIPResponse {
        let origin = request.headers["Origin"]
        var response: WHIPResponse
        do throws(Problem) {
            try settings.origins.check(origin)
            response = try answer()
        } catch {
            response = error.response
        }
        if let allowance = settings.origins.allowance(for: origin) {
            response.headers.append("Access-Control-Allow-Origin", allowance)
        }
        if settings.origins != .any { response.headers.append("Vary", "Origin") }
        response.headers.append("Access-Control-Expose-Headers", "Location, Link, ETag, Accept-Patch, Retry-After")
        response.headers.append("Cache-Control", "no-store")
        if request.method == "HEAD" { response.body = "" }
        return response
    }

    /// Ends all sessions that were made here.
    public func endSessions() {
        let ids = sessions.withLock { table in
            let ids = table.ids
            table.remove(ids)
            return ids
        }
        for id in ids { try? host.end(id) }  // those that have ended already are no error
    }

    private func answer(
        _ request: WHIPRequest, _ access: StreamAccess, _ client: StreamClient
    ) throws(Problem) -> WHIPResponse {
        let route = try route(of: request, access)
        guard request.method != "OPTIONS" else { return options(of: route) }
        guard request.body.utf8.count <= settings.maximumBodyByteCount else {
            throw Problem(413, "A body has at most \(settings.maximumBodyByteCount) bytes.")
        }
        switch route {
        case .offers(let action, let stream): return try accept(request, action, stream, from: client)
        case .session(let id): return request.method == "PATCH" ? try patch(id, request) : try end(id)
        case .layer(let id): return try selectLayer(of: id, request)
        case .streams: return try list(access)
        }
    }

    /// The resource of a request that its sender may use in this way.
    private func route(of request: WHIPRequest, _ access: StreamAccess) throws(Problem) -> EndpointRoute {
        let route = try EndpointRoute(request.target)
        guard request.method != "OPTIONS" else { return route }
        guard route.methods.contains(request.method) else {
            throw Problem(
                405, "The methods here are \(route.methods.joined(separator: ", ")).",
                .init("Allow", route.methods.joined(separator: ", ")))
        }
        if case .offers(let action, let stream) = route,
            let problem = Problem(access.decision(on: action, of: stream), on: action)
        {
            throw problem
        }
        return route
    }

    /// The allowed methods and headers, for clients and for preflight requests of browsers (CORS).
    private func options(of route: EndpointRoute) -> WHIPResponse {
        let methods = route.methods.joined(separator: ", ")
        var response = WHIPResponse(204)
        response.headers.append("Allow", methods)
        response.headers.append("Access-Control-Allow-Methods", methods)
        response.headers.append("Access-Control-Allow-Headers", "Authorization, Content-Type, If-Match, If-None-Match")
        response.headers.append("Access-Control-Max-Age", "86400")
        switch route {
        case .offers: response.headers.append("Accept-Post", MediaType.sdp)
        case .session: response.headers.append("Accept-Patch", MediaType.sdpFragment)
        case .layer: response.headers.append("Accept-Post", MediaType.json)
        case .streams: break
        }
        return response
    }

    /// Calls the host, and forgets a session that it reports as ended.
    func asking<Result>(
        about id: String? = nil, _ body: () throws(StreamHostError) -> Result
    ) throws(Problem) -> Result {
        do throws(StreamHostError) {
            return try body()
        } catch {
            if let id, error == .unknownSession { sessions.withLock { $0[id] = nil } }
            throw Problem(error)
        }
    }
}

/// The media types of bodies.
extension WHIPRequest {
    /// Checks the type of the body. Parameters such as a charset are ignored.
    ///
    /// - Throws: 415, with `field` listing the accepted type.
    func require(_ type: String, sayingSoIn field: String) throws(Problem) {
        guard headers.mediaType == type else {
            throw Problem(415, "The body must be \(type).", .init(field, type), .init("Accept", type))
        }
    }
}
