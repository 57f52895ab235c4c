import RillCore

// The reactions to a response, or to a missing one.
extension WHIPClient {
    mutating func take(_ response: WHIPResponse, of exchange: Exchange, at now: MediaTime) {
        switch response.status {
        case _ where response.isTooLong:
            take(
                .badResponse(status: response.status, .tooLong(limit: WHIPClient.maximumResponseLength)), of: exchange,
                at: now)
        case 307, 308: follow(response, of: exchange, at: now)
        case 404 where exchange.kind != .offer && session?.places.isEmpty == false: seekSession(exchange, at: now)
        default:
            switch exchange.kind {
            case .offer:
                if (200...201).contains(response.status) { responseTime = now - exchange.start }
                takeAnswer(response, from: exchange.url, at: now)
            case .change: takeChange(response, at: now)
            case .end: end()
            }
        }
    }

    /// A request has no response, or none that can be used.
    mutating func take(_ error: WHIPClientError, of exchange: Exchange, at now: MediaTime) {
        switch exchange.kind {
        case .offer:
            if case .closing = phase { return end() }
            if error.heals { retry(error, at: now) } else { fail(error) }
        case .change: changeFailed(error, at: now)
        case .end: end()
        }
    }

    /// Asks for the session at its next place.
    private mutating func seekSession(_ exchange: Exchange, at now: MediaTime) {
        guard var sought = session else { return }
        let place = sought.places.removeFirst()
        let isLayer = exchange.url == sought.layers
        (sought.url, sought.layers) = (place.session, place.layers)
        session = sought
        redirect(exchange, to: isLayer ? place.layers ?? place.session : place.session, at: now)
    }

    /// Where a session may be if a proxy serves the server in a folder, and `Location` is a path of the server's.
    private func places(_ response: WHIPResponse, session: WHIPURL?, layers: WHIPURL?) -> [Place] {
        guard let session, let location = response.headers["Location"], location.hasPrefix("/"),
            !location.hasPrefix("//")
        else { return [] }
        return endpoint.foldersAbove(missingIn: session.path).map { folder in
            Place(session: session.within(folder), layers: layers?.within(folder))
        }
    }

    private mutating func follow(_ response: WHIPResponse, of exchange: Exchange, at now: MediaTime) {
        guard exchange.redirectionCount < WHIPClient.maximumRedirectionCount else {
            return take(.tooManyRedirections(limit: WHIPClient.maximumRedirectionCount), of: exchange, at: now)
        }
        do throws(WHIPResponseProblem) {
            redirect(exchange, to: try location(of: response, from: exchange.url), at: now)
        } catch {
            take(.badResponse(status: response.status, error), of: exchange, at: now)
        }
    }

    /// The URL of a response's `Location`.
    func location(of response: WHIPResponse, from url: WHIPURL) throws(WHIPResponseProblem) -> WHIPURL {
        guard let text = response.headers["Location"], !text.isEmpty else { throw .noLocation }
        do throws(WHIPURLProblem) {
            let location = try url.resolve(text)
            guard location.isSecure || !url.isSecure else { throw .leavesEncryption }
            return location
        } catch { throw .badLocation(error) }
    }

    // MARK: The answer

    /// The response to our offer (RFC 9725 §4.2).
    private mutating func takeAnswer(_ response: WHIPResponse, from url: WHIPURL, at now: MediaTime) {
        let status = response.status
        if case .closing = phase {
            // Without a session that it names, there is nothing to end.
            guard (200...201).contains(status), let made = try? location(of: response, from: url) else {
                return end()
            }
            return send(.end, "DELETE", to: made, at: now)
        }
        switch status {
        case 200, 201: begin(response, from: url, at: now)
        case 406: fail(.counterOffer)
        case 412 where comesBack:
            // It may be our own session that the server has not given up yet, where it does not know it by its tag.
            guard let url = former.take() else { return fail(.replaced(detail: response.detail)) }
            endRemotely(url, at: now)
            retry(.unavailable(status: status, detail: response.detail), at: now)
        case 400...599 where heals(status):
            retry(
                .unavailable(status: status, detail: response.detail),
                askedToWait: RetrySchedule.asked(response.headers["Retry-After"]), at: now)
        case 400...599: fail(.refused(status: status, detail: response.detail))
        default: fail(.badResponse(status: status, .unexpectedStatus))
        }
    }

    /// Whether another attempt may succeed.
    private func heals(_ status: Int) -> Bool {
        switch status {
        // For a viewer: the stream has no publisher.
        case 404, 409: purpose == .watch
        default: WHIPResponse.isBusy(status)
        }
    }

    private mutating func begin(_ response: WHIPResponse, from url: WHIPURL, at now: MediaTime) {
        let made: WHIPURL?
        do throws(WHIPResponseProblem) { made = try location(of: response, from: url) } catch .noLocation {
            made = nil
        } catch {
            return fail(.badResponse(status: response.status, error))
        }
        guard response.headers.mediaType == MediaType.sdp else {
            endRemotely(made, at: now)
            return fail(.badResponse(status: response.status, .contentType(response.headers["Content-Type"] ?? "")))
        }
        guard !response.body.isEmpty else {
            endRemotely(made, at: now)
            return fail(.badResponse(status: response.status, .emptyBody))
        }
        var session = Session(url: made, etag: response.etag, answer: response.body)
        let links = LinkHeader.parse(response.headers.values(of: "Link"))
        session.layers = links.first { $0.relations.contains(LinkHeader.layerRelation) }.flatMap { link in
            // A link that is no URL is as good as none: layers are optional.
            guard let layers = try? url.resolve(link.target), layers.isSecure || !url.isSecure else { return nil }
            return layers
        }
        session.places = places(response, session: made, layers: session.layers)
        (self.session, phase) = (session, .inSession)
        (comesBack, former, formerTag) = (true, nil, session.etag.flatMap { $0.hasPrefix("W/") ? nil : $0 })
        tell(
            .answered(
                WHIPAnswer(
                    text: response.body, session: made?.text, iceServers: links.compactMap(ICEServer.init(link:)),
                    selectsLayers: session.layers != nil)))
        if selection != .unspecified { selectLayer() }
    }

    /// The session is over, and this client has not ended it.
    mutating func lose(_ error: WHIPClientError, isKnownThere: Bool, at now: MediaTime) {
        if isKnownThere, let session {
            endRemotely(session.url, at: now)
            former = session.url ?? former
        }
        (session, exchange) = (nil, nil)
        if let since = connectedSince.take(), now - since >= WHIPClient.steadyTime { schedule.succeed() }
        tell(.sessionLost(error))
        retry(error, at: now)
    }

    // MARK: The end of an attempt

    /// Tries again later, or gives up.
    mutating func retry(_ error: WHIPClientError, askedToWait asked: MediaDuration? = nil, at now: MediaTime) {
        var delay = schedule.fail(askedToWait: asked, comesBack: comesBack)
        // An attempt that has taken all of its time was a pause by itself.
        if comesBack, case .timedOut = error { delay = min(delay, RetrySchedule.first) }
        let since = disconnectedSince ?? now
        disconnectedSince = since
        if let limit = settings.connectTimeout {
            // The last attempt is made at the limit, unless the server asks for more time than that.
            let left = limit - (now - since)
            guard left > .zero, delay <= max(left, RetrySchedule.longest) else {
                return fail(.gaveUp(after: now - since, "\(error)"))
            }
            delay = min(delay, left)
        }
        phase = .waiting(until: now + delay)
        tell(.retrying(after: delay, error))
    }

    mutating func fail(_ error: WHIPClientError) {
        tell(.failed(error))
        end()
    }

    mutating func end() {
        phase = .ended
        (exchange, session) = (nil, nil)
    }
}

extension WHIPClientError {
    /// Whether another attempt may succeed.
    var heals: Bool {
        switch self {
        case .noConnection, .timedOut, .unavailable, .sessionVanished, .connectionFailed: true
        default: false
        }
    }
}

extension LinkHeader {
    /// The relation of the URL at which a viewer selects a layer (draft-ietf-wish-whep, extension `layer`).
    static let layerRelation = "urn:ietf:params:whep:ext:core:layer"
}

extension ICEServer {
    /// The server of a link with the relation `ice-server` (RFC 9725 §4.6); `nil` for another link, and for a URL that
    /// is not one of an ICE server.
    init?(link: LinkHeader) {
        guard link.relations.contains("ice-server"), ICEServer.isUsable(link.target) else { return nil }
        self.init(
            link.target, username: link.parameters["username"], credential: link.parameters["credential"])
    }
}

extension WHIPResponse {
    /// Whether a status says that the same request may succeed later.
    static func isBusy(_ status: Int) -> Bool {
        switch status {
        case 408, 425, 429: true
        case 501, 505: false
        default: (500...599).contains(status)
        }
    }

    var isTooLong: Bool {
        let limit = WHIPClient.maximumResponseLength
        return body.utf8.count > limit
            || headers.fields.reduce(0) { $0 + $1.name.utf8.count + $1.value.utf8.count + 4 } > limit
    }

    /// The entity tag, if it can be sent back (RFC 9110 §8.8.3).
    var etag: String? {
        headers["ETag"].flatMap { tag in
            (2...256).contains(tag.utf8.count) && tag.utf8.allSatisfy { (0x21...0x7E).contains($0) } ? tag : nil
        }
    }

    /// The server's reason of a refusal, for people.
    var detail: String? {
        let type = headers["Content-Type"]?.lowercased() ?? ""
        if type.hasPrefix("application/problem+json") || type.hasPrefix("application/json") {
            guard let problem = ProblemDetails(json: body) else { return nil }
            return problem.detail ?? problem.title
        }
        guard type.hasPrefix("text/plain"), let line = body.split(whereSeparator: \.isNewline).first else { return nil }
        return ProblemDetails.cleaned(String(line))
    }
}

// Changes of a session, one after the other: candidates, restarts of ICE, the layer.
extension WHIPClient {
    mutating func selectLayer() {
        guard case .layer(let name) = selection, let current = session else { return }
        guard current.layers != nil else { return tell(.layerRefused(name, .noLayerSelection)) }
        withdraw { change in if case .select = change { true } else { false } }
        session?.changes.append(.select(name))
    }

    /// Removes changes that are not under way.
    mutating func withdraw(_ isWithdrawn: (Change) -> Bool) {
        guard var changes = session?.changes else { return }
        let underWay = exchange == nil ? nil : changes.first
        changes = changes.dropFirst(underWay == nil ? 0 : 1).filter { !isWithdrawn($0) }
        session?.changes = (underWay.map { [$0] } ?? []) + changes
    }

    /// Starts the next change, if it is due.
    mutating func changeSession(at now: MediaTime) {
        guard phase == .inSession, exchange == nil, let session, let change = session.changes.first,
            session.retryTime.map({ $0 <= now }) ?? true
        else { return }
        let type = WHIPHeaders.Field("Content-Type", MediaType.sdpFragment)
        let resource: WHIPURL? = if case .select = change { session.layers } else { session.url }
        guard let url = resource else { return changeFailed(.badResponse(status: 201, .noLocation), at: now) }
        switch change {
        case .candidates(let text):
            // Candidates are of use only for the credentials that the server knows (RFC 9725 §4.3.2).
            let match = session.etag.map { [WHIPHeaders.Field("If-Match", $0)] } ?? []
            send(.change, "PATCH", to: url, [type] + match, text, at: now)
        case .restart(let text):
            // A restart replaces the state of the server, whatever its entity tag is (RFC 9725 §4.3.3).
            send(.change, "PATCH", to: url, [type, .init("If-Match", "*")], text, at: now)
        case .select(let name):
            let text = JSONText.object([("encodingId", name.map(JSONText.string) ?? "null")])
            send(.change, "POST", to: url, [.init("Content-Type", MediaType.json)], text, at: now)
        }
    }

    mutating func takeChange(_ response: WHIPResponse, at now: MediaTime) {
        let status = response.status
        guard (200...299).contains(status) else {
            let asked = RetrySchedule.asked(response.headers["Retry-After"])
            let error: WHIPClientError =
                WHIPResponse.isBusy(status)
                ? .unavailable(status: status, detail: response.detail)
                : status == 404 || status == 410
                    ? .sessionVanished(status: status) : .refused(status: status, detail: response.detail)
            return changeFailed(error, askedToWait: asked, at: now)
        }
        guard var current = session, let change = current.changes.first else { return }
        current.changes.removeFirst()
        current.schedule.succeed()
        current.retryTime = nil
        current.places = []
        session = current
        switch change {
        case .candidates: break
        case .select(let name): tell(.layerSelected(name))
        case .restart: takeRestart(response, at: now)
        }
    }

    /// The server's new credentials and candidates.
    private mutating func takeRestart(_ response: WHIPResponse, at now: MediaTime) {
        // One that cannot be read has no credentials, which is the error.
        guard let fragment = try? SDPFragment(ofDescription: response.body), fragment.usernameFragment != nil,
            fragment.password != nil, let current = session
        else {
            return lose(.badResponse(status: response.status, .noCredentials), isKnownThere: true, at: now)
        }
        let answer = DescriptionLines(current.answer).replacingICE(by: fragment)
        session?.answer = answer
        session?.etag = response.etag
        formerTag = response.etag ?? formerTag
        tell(.restarted(answer: answer))
    }

    mutating func changeFailed(
        _ error: WHIPClientError, askedToWait asked: MediaDuration? = nil, at now: MediaTime
    ) {
        guard var current = session, let change = current.changes.first else { return }
        func tryAgain() {
            current.retryTime = now + current.schedule.fail(askedToWait: asked)
            session = current
        }
        switch change {
        case .restart:
            // While the server is out of reach, so is the path: the media's own timeout decides.
            if error.heals, !error.isVanishing { return tryAgain() }
            lose(error, isKnownThere: !error.isVanishing, at: now)
        case .candidates:
            if error.isVanishing { return lose(error, isKnownThere: false, at: now) }
            if error.heals, current.schedule.failureCount + 1 < WHIPClient.maximumAttemptCount { return tryAgain() }
            drop(&current)
            tell(.candidatesRefused(error))
        case .select(let name):
            // 404 may also mean that there is no such layer. Other requests show whether the session still exists.
            if error.heals, !error.isVanishing, current.schedule.failureCount + 1 < WHIPClient.maximumAttemptCount {
                return tryAgain()
            }
            drop(&current)
            var told = error
            if case .sessionVanished(let status) = error { told = .refused(status: status, detail: nil) }
            tell(.layerRefused(name, told))
        }
    }

    private mutating func drop(_ current: inout Session) {
        current.changes.removeFirst()
        current.schedule.succeed()
        current.retryTime = nil
        session = current
    }
}

extension WHIPClientError {
    fileprivate var isVanishing: Bool { if case .sessionVanished = self { true } else { false } }
}
