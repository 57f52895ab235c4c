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
    private let sessions = Monitor(SessionTable())

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
        if request.method == "HEAD" {
            // The length is that of the response to GET (RFC 9110 §9.3.2).
            response.headers["Content-Length"] = "\(response.body.utf8.count)"
            response.body = ""
        }
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
        case .session(let id): return request.method == "PATCH" ? try patch(id, request) : try end(id, request)
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
    private func asking<Result>(
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

extension WHIPEndpoint {
    /// POST of an offer: a session, with the answer (RFC 9725 §4.2).
    func accept(
        _ request: WHIPRequest, _ action: StreamAction, _ stream: String, from client: StreamClient
    ) throws(Problem) -> WHIPResponse {
        try request.require(MediaType.sdp, sayingSoIn: "Accept-Post")
        guard !request.body.isEmpty else { throw Problem(400, "The body must be an offer.") }
        let replacement = try replacement(for: request)
        let session = try asking { () throws(StreamHostError) in
            switch action {
            case .publish: try host.publish(stream, offer: request.body, from: client, replacing: replacement)
            case .watch: try host.watch(stream, offer: request.body, from: client)
            }
        }
        let entry = SessionTable.Entry(
            action: action, usernameFragment: DescriptionLines(request.body).value("ice-ufrag"))
        remember(entry, for: session.id)

        let path = EndpointRoute.path(ofSession: session.id)
        var response = WHIPResponse(201, body: session.answer)
        response.headers.append("Content-Type", MediaType.sdp)
        response.headers.append("Location", path)
        response.headers.append("ETag", "\"\(entry.tag(of: session.id))\"")
        response.headers.append("Accept-Patch", MediaType.sdpFragment)
        for server in settings.iceServers() { response.headers.append("Link", server.link) }
        if action == .watch {
            response.headers.append("Link", "<\(path)/layer>; rel=\"urn:ietf:params:whep:ext:core:layer\"")
        }
        return response
    }

    /// The publisher that a request may replace.
    ///
    /// A publisher that reconnects does not take a stream that another one publishes meanwhile. It sends the entity
    /// tag of its former session (If-Match, RFC 9110 §13.1.1) or, without one, If-None-Match with an asterisk
    /// (§13.1.2). A stream without a publisher counts as unchanged, so that both conditions hold.
    private func replacement(for request: WHIPRequest) throws(Problem) -> StreamReplacement {
        let match = MatchCondition(request.headers.values(of: "If-Match"))
        if match == .malformed { throw Problem(400, "If-Match is not a list of entity tags.") }
        if case .tags = match { return .following(match.sessions) }
        return request.headers["If-None-Match"] == nil ? .anybody : .sameSubject
    }

    private func remember(_ entry: SessionTable.Entry, for id: String) {
        let candidates = sessions.withLock { $0.insert(entry, for: id) }
        guard !candidates.isEmpty else { return }
        // The host is called without a lock.
        let ended = candidates.filter { !host.holds($0) }
        sessions.withLock { $0.remove(ended) }
    }

    /// GET of the list, as far as its reader may watch.
    func list(_ access: StreamAccess) throws(Problem) -> WHIPResponse {
        var streams: [String] = []
        switch access {
        case .missing, .invalid:
            // The name does not matter here: nothing is allowed.
            if let problem = Problem(access.decision(on: .watch, of: ""), on: .watch) { throw problem }
        case .unrestricted, .limited:
            for stream in host.streams where access.decision(on: .watch, of: stream.name) == .allowed {
                streams.append(stream.json)
            }
        }
        var response = WHIPResponse(200, body: JSONText.array(streams))
        response.headers.append("Content-Type", MediaType.json)
        return response
    }
}

extension HostedStream {
    fileprivate var json: String {
        JSONText.object([
            ("name", JSONText.string(name)), ("codec", JSONText.string(codec)), ("viewerCount", "\(viewerCount)"),
            ("seconds", JSONText.number(seconds)), ("layers", JSONText.array(layers.map(\.json))),
        ])
    }
}

extension HostedLayer {
    fileprivate var json: String {
        JSONText.object([
            ("name", JSONText.string(name)), ("width", "\(width)"), ("height", "\(height)"),
            ("framesPerSecond", JSONText.number(framesPerSecond)), ("bitsPerSecond", "\(bitsPerSecond)"),
        ])
    }
}

extension WHIPEndpoint {
    /// PATCH of a session: trickled candidates, or an ICE restart (RFC 9725 §4.3.2, §4.3.3).
    ///
    /// `If-Match: *` with an ice-ufrag other than the present one requests a restart. Everything else is candidates:
    /// some clients send the asterisk with every fragment. Of two concurrent restarts, the later one gets 409.
    func patch(_ id: String, _ request: WHIPRequest) throws(Problem) -> WHIPResponse {
        let entry = try known(id)
        try request.require(MediaType.sdpFragment, sayingSoIn: "Accept-Patch")
        let condition = try request.condition(on: entry, of: id)
        if condition == .missing {
            throw Problem(428, "PATCH needs If-Match, with the session's entity tag or an asterisk.")
        }
        let fragment = try SDPFragment(ofBody: request.body)
        if condition == .any, let usernameFragment = fragment.usernameFragment,
            usernameFragment != entry.usernameFragment
        {
            guard fragment.password != nil else { throw Problem(400, "An ICE restart needs ice-ufrag and ice-pwd.") }
            return try restart(id, entry, fragment, usernameFragment)
        }
        try asking(about: id) { () throws(StreamHostError) in try host.addCandidates(fragment, to: id) }
        return WHIPResponse(204)
    }

    private func restart(
        _ id: String, _ entry: SessionTable.Entry, _ fragment: SDPFragment, _ usernameFragment: String
    ) throws(Problem) -> WHIPResponse {
        // The session is claimed first: the host is called without a lock, and its credentials and the tag must
        // belong to one request.
        switch sessions.withLock({ $0.beginRestart(id, of: entry.generation) }) {
        case .claimed: break
        case .conflict: throw Problem(409, "Another request restarts ICE of this session.")
        case .unknown: throw Problem(StreamHostError.unknownSession)
        }
        let ours: SDPFragment
        do throws(Problem) {
            ours = try asking(about: id) { () throws(StreamHostError) in try host.restart(id, with: fragment) }
        } catch {
            _ = sessions.withLock { $0.endRestart(id, usernameFragment: nil) }
            throw error
        }
        guard let tag = sessions.withLock({ $0.endRestart(id, usernameFragment: usernameFragment) }) else {
            throw Problem(StreamHostError.unknownSession)
        }
        var response = WHIPResponse(200, body: ours.text)
        response.headers.append("Content-Type", MediaType.sdpFragment)
        response.headers.append("ETag", "\"\(tag)\"")
        for server in settings.iceServers() { response.headers.append("Link", server.link) }
        return response
    }

    /// DELETE of a session (RFC 9725 §4.2). The second time it is 404.
    func end(_ id: String, _ request: WHIPRequest) throws(Problem) -> WHIPResponse {
        _ = try request.condition(on: try known(id), of: id)
        try asking(about: id) { () throws(StreamHostError) in try host.end(id) }
        sessions.withLock { $0[id] = nil }
        return WHIPResponse(200)
    }

    /// POST to the layer resource of a viewer (draft-ietf-wish-whep, the core layer extension). Members other than
    /// `encodingId` are ignored.
    func selectLayer(of id: String, _ request: WHIPRequest) throws(Problem) -> WHIPResponse {
        guard try known(id).action == .watch else { throw Problem(404, "A publisher has no layer to choose.") }
        try request.require(MediaType.json, sayingSoIn: "Accept-Post")
        let layer: String?
        switch try FlatJSONObject(ofBody: request.body).members["encodingId"] {
        case nil, .null: layer = nil
        case .string(let name): layer = name
        case .number, .bool: throw Problem(400, "encodingId must be a string or null.")
        }
        try asking(about: id) { () throws(StreamHostError) in try host.select(layer, for: id) }
        return WHIPResponse(200)
    }

    func known(_ id: String) throws(Problem) -> SessionTable.Entry {
        guard let entry = sessions.withLock({ $0[id] }) else { throw Problem(.unknownSession) }
        return entry
    }
}

extension SDPFragment {
    fileprivate init(ofBody body: String) throws(Problem) {
        do throws(SDPFragmentError) {
            try self.init(parsing: body)
        } catch {
            throw Problem(400, "The body cannot be used: \(error).")
        }
    }
}

extension FlatJSONObject {
    fileprivate init(ofBody body: String) throws(Problem) {
        do throws(FlatJSONError) {
            try self.init(parsing: body)
        } catch {
            throw Problem(400, "The body cannot be used: \(error).")
        }
    }
}
