public import RillCore

/// A client of WHIP (RFC 9725) or WHEP (draft-ietf-wish-whep): it publishes a stream at a URL, or watches one.
///
/// It has neither a connection nor a clock. Feed it offers and responses, then poll until it returns the time of the
/// next poll.
///
/// ```swift
/// let settings = WHIPClientSettings(token: token)
/// var client = try WHIPClient(.publish, at: "https://example.org/whip/stage", settings, from: now)
/// while true {
///     switch client.poll(at: now) {
///     case .send(let request, let id, let timeout):
///         http.send(request, id, timeout)  // then insert(_:to:at:) or fail(_:…)
///     case .event(.offerNeeded): client.setOffer(try makePeer().localDescription, at: now)
///     case .event(.answered(let answer)): try peer.accept(answer.text)
///     case .event(let event): log(event)
///     case .wait(until: let time): …
///     case .ended: return
///     }
/// }
/// ```
///
/// **Reconnection.** The client retries without a connection, when the server is not ready (5xx, 429; for viewers
/// also 404 and 409: the stream has no publisher yet), and after a session that ended unexpectedly. It waits 0.25 s,
/// then twice as long each time up to 2 s, or as long as the server requests (`Retry-After`). Other refusals end it.
///
/// **Several publishers.** The newest one has the stream. A client that reconnects requests the stream only if no
/// other publisher has taken it, and otherwise ends: two of them do not take the stream from each other. It sends the
/// entity tag of its former session, which the server may still have (`If-Match`, RFC 9110 §13.1.1), or without one
/// `If-None-Match: *` (§13.1.2).
///
/// **Networks that disappear.** A request in progress is never answered when its network disappears, and TCP detects
/// this slowly. A client that reconnects waits for a response at most 2 s, or four times as long as its first one
/// took. Its attempts are at most 1 s apart.
///
/// **Hostile servers.** Every response is untrusted: its length, its redirections and the stored parts are limited.
/// The client never leaves HTTPS for HTTP.
///
/// One owner, one thread at a time.
public struct WHIPClient: Sendable {
    /// The purpose of the client.
    public let purpose: WHIPPurpose
    let settings: WHIPClientSettings
    let endpoint: WHIPURL

    var phase: Phase
    /// The actions that were not polled yet, in order.
    var actions: [WHIPClientAction] = []
    /// The request in progress.
    var exchange: Exchange?
    var session: Session?
    /// Requests for a session whose responses come too late, and their URLs.
    var abandoned: [(id: Int, url: WHIPURL)] = []
    var schedule = RetrySchedule()
    /// Our offer of the present attempt.
    var offer = ""
    var selection = LayerSelection.unspecified
    /// Since when there has been no connection; `nil` while there is one.
    var disconnectedSince: MediaTime?
    /// Since when the session has been connected; `nil` if it never was.
    var connectedSince: MediaTime?
    /// Whether there was a session before this one.
    var comesBack = false
    /// The last session, if the server may still have it.
    var former: WHIPURL?
    /// The entity tag of the last session.
    var formerTag: String?
    /// How long the response to the last offer took that was answered.
    var responseTime: MediaDuration?
    private var lastID = 0

    /// The most bytes of a response's body, and of its header fields.
    public static let maximumResponseLength = 262_144
    /// How long a connection must last for the next attempt to be as quick as the first one: two publishers that take
    /// the same stream from each other slow down.
    static let steadyTime = MediaDuration.seconds(5)
    /// The shortest time for a response. TCP repeats a lost SYN after a second.
    static let shortestTimeout = MediaDuration.seconds(2)
    /// The most redirections of one request.
    static let maximumRedirectionCount = 5
    /// How often a request of a session is tried that the session can do without.
    static let maximumAttemptCount = 5

    enum Phase: Equatable {
        /// Before an attempt.
        case waiting(until: MediaTime)
        case awaitingOffer
        case posting
        case inSession
        case closing(until: MediaTime)
        case ended
    }

    /// The layer that a viewer has selected.
    enum LayerSelection: Equatable {
        case unspecified
        case layer(String?)
    }

    /// A request that was sent.
    struct Exchange {
        var id: Int
        var kind: Kind
        var request: WHIPRequest
        var url: WHIPURL
        var redirectionCount = 0
        /// When it was sent.
        var start: MediaTime
        /// How long a response may take.
        var timeout: MediaDuration

        var deadline: MediaTime { start + timeout }

        enum Kind: Equatable {
            case offer
            case change
            case end
        }
    }

    /// A session at the server.
    struct Session {
        /// Where it is changed and ended; `nil` if the server has not said so.
        var url: WHIPURL?
        var etag: String?
        /// The server's newest answer.
        var answer: String
        /// Where a layer is selected.
        var layers: WHIPURL?
        /// Where it may be instead, if a proxy serves it.
        var places: [Place] = []
        /// Changes that were not made yet. The first one may be under way.
        var changes: [Change] = []
        /// When the first of them is tried again.
        var retryTime: MediaTime?
        var schedule = RetrySchedule()
    }

    /// Where a session is changed, and its layer selected.
    struct Place {
        var session: WHIPURL
        var layers: WHIPURL?
    }

    /// A change of a session.
    enum Change: Equatable {
        case candidates(String)
        case restart(String)
        case select(String?)
    }

    /// Starts publishing or watching.
    ///
    /// - Parameters:
    ///   - purpose: the purpose of the client.
    ///   - url: the endpoint's URL.
    ///   - settings: times and credentials.
    ///   - now: the time of the first attempt.
    /// - Throws: `badURL`, `badToken`.
    public init(
        _ purpose: WHIPPurpose, at url: String, _ settings: WHIPClientSettings = WHIPClientSettings(),
        from now: MediaTime
    ) throws(WHIPClientError) {
        do throws(WHIPURLProblem) { endpoint = try WHIPURL(url) } catch { throw .badURL(url, error) }
        if let token = settings.token {
            guard (1...4096).contains(token.utf8.count), token.utf8.allSatisfy(WHIPClient.isOfToken) else {
                throw .badToken
            }
        }
        (self.purpose, self.settings) = (purpose, settings)
        (phase, disconnectedSince) = (.waiting(until: now), now)
    }

    /// b64token of RFC 6750 §2.1.
    private static func isOfToken(_ byte: UInt8) -> Bool { byte.isAlphanumeric || "-._~+/=".utf8.contains(byte) }

    // MARK: Polling

    /// Returns the next action.
    public mutating func poll(at now: MediaTime) -> WHIPClientAction {
        advance(at: now)
        if !actions.isEmpty { return actions.removeFirst() }
        return phase == .ended ? .ended : .wait(until: PollBound.wait(until: wakeTime, after: now))
    }

    private var wakeTime: MediaTime {
        var times = [exchange?.deadline]
        switch phase {
        case .waiting(let time), .closing(let time): times.append(time)
        case .inSession where exchange == nil && session?.changes.isEmpty == false: times.append(session?.retryTime)
        case .awaitingOffer, .posting, .inSession, .ended: break
        }
        return times.compactMap(\.self).min() ?? .distantFuture
    }

    private mutating func advance(at now: MediaTime) {
        if case .closing(let time) = phase, time <= now { return end() }
        if let late = exchange, late.deadline <= now {
            exchange = nil
            if late.kind == .offer { abandon(late) }
            take(.timedOut(after: late.timeout), of: late, at: now)
        }
        if case .waiting(let time) = phase, time <= now {
            phase = .awaitingOffer
            tell(.offerNeeded)
        }
        changeSession(at: now)
    }

    // MARK: Requests

    mutating func send(
        _ kind: Exchange.Kind, _ method: String, to url: WHIPURL, _ headers: [WHIPHeaders.Field] = [],
        _ body: String = "", at now: MediaTime
    ) {
        var request = WHIPRequest(method, url.text, headers: WHIPHeaders(headers), body: body)
        request.headers["Authorization"] = settings.token.map { "Bearer \($0)" }
        lastID += 1
        let timeout = kind == .offer ? offerTimeout(at: now) : settings.requestTimeout
        exchange = Exchange(id: lastID, kind: kind, request: request, url: url, start: now, timeout: timeout)
        actions.append(.send(request, id: lastID, timeout: timeout))
    }

    /// How long the response to an offer may take. A server that has answered is known to be quicker than the time for
    /// any.
    private func offerTimeout(at now: MediaTime) -> MediaDuration {
        let longest = min(settings.requestTimeout, timeLeft(at: now) ?? settings.requestTimeout)
        guard let responseTime else { return longest }
        return min(max(responseTime * 4, WHIPClient.shortestTimeout), longest)
    }

    /// How long an attempt may take that begins now, by ``WHIPClientSettings/connectTimeout``: at least a second; `nil`
    /// for as long as it takes.
    package func timeLeft(at now: MediaTime) -> MediaDuration? {
        settings.connectTimeout.map { max($0 - (now - (disconnectedSince ?? now)), .seconds(1)) }
    }

    /// Sends a request again, elsewhere (RFC 9110 §15.4.8).
    mutating func redirect(_ former: Exchange, to url: WHIPURL, at now: MediaTime) {
        var next = former
        lastID += 1
        (next.id, next.url, next.request.target) = (lastID, url, url.text)
        next.redirectionCount += 1
        next.start = now
        // The token is for the origin that the user has named.
        if url.origin != former.url.origin { next.request.headers["Authorization"] = nil }
        exchange = next
        actions.append(.send(next.request, id: next.id, timeout: next.timeout))
    }

    /// Ends a session at the server, if it has a URL, and waits for no response.
    mutating func endRemotely(_ url: WHIPURL?, at now: MediaTime) {
        guard let url else { return }
        let current = exchange
        send(.end, "DELETE", to: url, at: now)
        exchange = current
    }

    /// Remembers a request for a session, so that a session that is made too late is ended.
    mutating func abandon(_ exchange: Exchange) {
        abandoned.append((exchange.id, exchange.url))
        if abandoned.count > 8 { abandoned.removeFirst() }
    }

    mutating func tell(_ event: WHIPClientEvent) { actions.append(.event(event)) }

    // The inputs of a driver: offers, candidates, responses.

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
            guard let url = session?.url else { return end() }
            phase = .closing(until: now + settings.closingTimeout)
            send(.end, "DELETE", to: url, at: now)
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
            // What has no location cannot be ended: the server ends it when nobody connects.
            if response.status == 201, let session = try? location(of: response, from: url) {
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
