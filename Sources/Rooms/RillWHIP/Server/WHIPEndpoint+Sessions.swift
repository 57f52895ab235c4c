import RillCore

extension WHIPEndpoint {
    /// PATCH of a session: trickled candidates, or an ICE restart (RFC 9725 §4.3.2, §4.3.3).
    ///
    /// `If-Match: *` with an ice-ufrag other than the present one requests a restart. Everything else is candidates:
    /// some clients send the asterisk with every fragment. Of two concurrent restarts, the later one gets 409.
    func patch(_ id: String, _ request: WHIPRequest) throws(Problem) -> WHIPResponse {
        let entry = try known(id)
        try request.require(MediaType.sdpFragment, sayingSoIn: "Accept-Patch")
        let condition = MatchCondition(request.headers.values(of: "If-Match"))
        switch condition {
        case .missing: throw Problem(428, "PATCH needs If-Match, with the session's entity tag or an asterisk.")
        case .malformed: throw Problem(400, "If-Match is not a list of entity tags.")
        case .any, .tags: break
        }
        guard condition.holds(for: entry.tag(of: id)) else {
            throw Problem(412, "The session has another entity tag: ICE has been restarted since.")
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
        for server in settings.iceServers { response.headers.append("Link", server.link) }
        return response
    }

    /// DELETE of a session (RFC 9725 §4.2). The second time it is 404.
    func end(_ id: String) throws(Problem) -> WHIPResponse {
        _ = try known(id)
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
