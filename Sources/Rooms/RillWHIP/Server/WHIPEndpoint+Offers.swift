import RillCore

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
        let entry = SessionTable.Entry(action: action, usernameFragment: DescriptionLines(request.body).value("ice-ufrag"))
        remember(entry, for: session.id)

        let path = EndpointRoute.path(ofSession: session.id)
        var response = WHIPResponse(201, body: session.answer)
        response.headers.append("Content-Type", MediaType.sdp)
        response.headers.append("Location", path)
        response.headers.append("ETag", "\"\(entry.tag(of: session.id))\"")
        response.headers.append("Accept-Patch", MediaType.sdpFragment)
        for server in settings.iceServers { response.headers.append("Link", server.link) }
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
