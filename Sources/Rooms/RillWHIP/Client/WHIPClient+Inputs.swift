public import RillCore

// The inputs of a driver: offers, candidates, responses.
extension WHIPClient {
    /// Sets the offer of a new connection, after ``WHIPClientEvent/offerNeeded``. At another time it is ignored.
    public mutating func setOffer(_ text: String, at now: MediaTime) {
        guard phase == .awaitingOffer else { return }
        (offer, phase) = (text, .posting)
        var headers: [WHIPHeaders.Field] = [
            .init("Content-Type", MediaType.sdp), .init("Accept", MediaType.sdp),
        ]
        if comesBack, purpose == .publish {
            headers.append(formerTag.map { .init("If-Match", $0) } ?? .init("If-None-Match", "*"))
        }
        send(.offer, "POST", to: endpoint, headers, text, at: now)
    }

    /// The connection of the session works.
    public mutating func noteConnected(at now: MediaTime) {
        guard phase == .inSession else { return }
        disconnectedSince = nil
        connectedSince = connectedSince ?? now
    }

    /// The connection of the session failed: the session is ended, and another one follows.
    ///
    /// - Parameters:
    ///   - reason: a clause for logs.
    ///   - now: the time.
    public mutating func noteFailed(_ reason: String, at now: MediaTime) {
        guard phase == .inSession else { return }
        lose(.connectionFailed(reason), isKnownThere: true, at: now)
    }

    /// Sends candidates of ours that were found after the offer. Without a session they are dropped: the offer of the
    /// next one has them.
    ///
    /// - Parameters:
    ///   - sections: the candidates, by section.
    ///   - now: the time.
    public mutating func trickle(_ sections: [SDPFragment.Section], at now: MediaTime) {
        guard session != nil, !sections.isEmpty else { return }
        let text = DescriptionLines(offer).text(of: SDPFragment(sections: sections))
        session?.changes.append(.candidates(text))
    }

    /// Restarts ICE (RFC 9725 §4.3.3), as after a change of the network. The rest of the offer counts for nothing.
    ///
    /// A server that refuses has its session ended, and another one follows.
    ///
    /// - Parameters:
    ///   - offer: a new offer of the connection, with other credentials.
    ///   - now: the time.
    public mutating func restartICE(_ offer: String, at now: MediaTime) {
        guard session != nil else { return }
        self.offer = offer
        disconnectedSince = disconnectedSince ?? now
        // An offer without ICE attributes is sent unchanged: the server reports what is missing.
        var fragment = (try? SDPFragment(ofDescription: offer)) ?? SDPFragment()
        // All sections are bundled with the first one, which alone has candidates.
        fragment.sections = Array(fragment.sections.prefix(1))
        // Candidates for the former credentials are useless.
        withdraw { change in if case .select = change { false } else { true } }
        session?.changes.append(.restart(DescriptionLines(offer).text(of: fragment)))
        if exchange == nil { session?.retryTime = nil }
    }

    /// Selects the layer of a viewer, for this session and later ones.
    ///
    /// - Parameters:
    ///   - layer: the layer's name; `nil` for the server's choice.
    ///   - now: the time.
    public mutating func select(_ layer: String?, at now: MediaTime) {
        selection = .layer(layer)
        guard session != nil else { return }
        selectLayer()
    }

    /// Ends the session, if there is one, and then the client.
    public mutating func close(at now: MediaTime) {
        switch phase {
        case .waiting, .awaitingOffer: end()
        case .posting: phase = .closing(until: now + settings.closingTimeout)
        case .inSession:
            phase = .closing(until: now + settings.closingTimeout)
            if let url = session?.url { send(.end, "DELETE", to: url, at: now) }
        case .closing, .ended: break
        }
    }

    /// Processes the response to a request.
    ///
    /// - Parameters:
    ///   - response: the response.
    ///   - id: the request's identifier. An unexpected response is ignored, unless it creates a session, which is
    ///     then ended.
    ///   - now: the time.
    public mutating func insert(_ response: WHIPResponse, to id: Int, at now: MediaTime) {
        if let awaited = exchange, awaited.id == id {
            exchange = nil
            take(response, of: awaited, at: now)
        } else if let index = abandoned.firstIndex(where: { $0.id == id }) {
            let url = abandoned.remove(at: index).url
            if case .success(let session) = location(of: response, from: url), response.status == 201 {
                endRemotely(session, at: now)
            }
        }
    }

    /// Reports that a request has no response.
    ///
    /// - Parameters:
    ///   - id: the request's identifier.
    ///   - reason: the cause.
    ///   - now: the time.
    public mutating func fail(_ id: Int, reason: String, at now: MediaTime) {
        abandoned.removeAll { $0.id == id }
        guard let awaited = exchange, awaited.id == id else { return }
        exchange = nil
        take(.noConnection(reason), of: awaited, at: now)
    }
}
