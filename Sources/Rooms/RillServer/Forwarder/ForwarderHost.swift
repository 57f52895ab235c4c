#if Server
public import Logging
import NIOConcurrencyHelpers
public import RillForward
import RillPeer
import RillRTP
import RillTransport
public import RillWHIP

/// The streams of a ``/RillForward/LiveForwarder``, for an endpoint of WHIP and WHEP.
///
/// Sessions get identifiers that nobody can guess, instead of the forwarder's numbers. What happens is logged.
///
/// Threads: methods may be called from any thread.
public final class ForwarderHost: StreamHost {
    /// What forwards. Close it after the last request.
    public let forwarder: LiveForwarder
    let sessions: SessionNames
    private let observer: NIOLockedValueBox<(@Sendable (ForwardEvent) -> Void)?>

    /// Opens the port for media, and starts its thread.
    ///
    /// - Parameters:
    ///   - logger: where events go.
    ///   - makeForwarder: makes the forwarder, which tells its events to the function that it is given.
    public init(
        logger: Logger, _ makeForwarder: (@escaping @Sendable (ForwardEvent) -> Void) throws -> LiveForwarder
    ) rethrows {
        let sessions = SessionNames()
        self.sessions = sessions
        let observer = NIOLockedValueBox<(@Sendable (ForwardEvent) -> Void)?>(nil)
        self.observer = observer
        forwarder = try makeForwarder { event in
            if case .ended(let session, _) = event { sessions.finish(session.id) }
            logger.log(event)
            observer.withLockedValue { $0 }?(event)
        }
    }

    /// Also tells all events to a function, on the forwarder's thread.
    func observe(_ handle: @escaping @Sendable (ForwardEvent) -> Void) {
        observer.withLockedValue { $0 = handle }
    }

    /// Publishes a stream of the forwarder's, under an identifier of its own.
    public func publish(
        _ name: String, offer: String, from client: StreamClient, replacing replacement: StreamReplacement
    ) throws(StreamHostError) -> HostedSession {
        let condition: PublishCondition =
            switch replacement {
            case .anybody: .always
            case .sameSubject: .sameSubject
            case .following(let named): .following(named.compactMap { sessions[$0] })
            }
        let (id, answer) = try refusing { () throws(ForwardError) in
            try forwarder.publish(name, offer: offer, from: ForwardClient(client), condition)
        }
        return HostedSession(id: sessions.add(id), answer: answer.text)
    }

    /// Adds a viewer to a stream that is published.
    public func watch(
        _ name: String, offer: String, from client: StreamClient
    ) throws(StreamHostError) -> HostedSession {
        let (id, answer) = try refusing { () throws(ForwardError) in
            try forwarder.watch(name, offer: offer, from: ForwardClient(client))
        }
        let layers = forwarder.read { forwarder, now in
            forwarder.statistics(at: now).first { $0.name == name }?.layers ?? []
        }
        return HostedSession(id: sessions.add(id), answer: answer.text, layers: layers.map { HostedLayer($0) })
    }

    /// Hands on the fragment's candidates, each with its section's MID.
    public func addCandidates(_ fragment: SDPFragment, to session: String) throws(StreamHostError) {
        let id = try find(session)
        for section in fragment.sections {
            for candidate in section.candidates {
                try refusing { () throws(ForwardError) in
                    try forwarder.addCandidate(candidate, mid: section.mid, of: id)
                }
            }
        }
    }

    /// Restarts ICE with the fragment's credentials, and hands on its candidates.
    public func restart(_ session: String, with fragment: SDPFragment) throws(StreamHostError) -> SDPFragment {
        let id = try find(session)
        guard let name = fragment.usernameFragment, let password = fragment.password else {
            throw .badDescription("a restart needs ice-ufrag and ice-pwd")
        }
        let answer = try refusing { () throws(ForwardError) in
            try forwarder.restart(id, usernameFragment: name, password: password)
        }
        try addCandidates(fragment, to: session)
        return SDPFragment(answer)
    }

    /// Selects a viewer's layer.
    public func select(_ layer: String?, for session: String) throws(StreamHostError) {
        let id = try find(session)
        try refusing { () throws(ForwardError) in try forwarder.select(layer, for: id) }
    }

    /// Ends a session. Its identifier is unknown from now on.
    public func end(_ session: String) throws(StreamHostError) {
        let id = try find(session)
        sessions.forget(session)
        try refusing { () throws(ForwardError) in try forwarder.end(id) }
    }

    /// Whether the session has not ended.
    public func holds(_ session: String) -> Bool { sessions[session] != nil }

    /// The streams that have a publisher now.
    public var streams: [HostedStream] {
        let statistics = forwarder.read { forwarder, now in forwarder.statistics(at: now) }
        // Those of rooms have names that no URL has.
        return statistics.filter { $0.isPublished && StreamName.isValid($0.name) }.map { HostedStream($0) }
    }

    /// What was forwarded, sent, received and refused since the start.
    public var totals: [String: Int] {
        let (counts, keyFrames, admissions, port, dropped) = forwarder.read { forwarder, _ in
            (
                forwarder.counts, forwarder.keyFrameRequestCount, forwarder.admissions, forwarder.portStatistics,
                forwarder.droppedSoundPackets
            )
        }
        let transport = forwarder.transportStatistics
        var totals = [
            "frames_forwarded": counts.frames, "key_frames_forwarded": counts.keyFrames,
            "bytes_forwarded": counts.bytes,
            "frames_left_out": counts.framesLeftOut, "audio_packets_forwarded": counts.audioPackets,
            "audio_packets_dropped": dropped,
            "layer_changes": counts.layerChanges, "key_frame_requests": keyFrames,
            "datagrams_sent": transport.sent, "datagrams_received": transport.received,
            "datagrams_unvalidated": port.unvalidatedDropped, "datagrams_shared": port.sharedReceived,
            "datagrams_withheld": port.agents.datagramsWithheld, "checks_replayed": port.agents.requestsReplayed,
            "candidate_pairs_evicted": port.agents.pairsEvicted,
            "sessions_admitted": admissions.admitted, "sessions_evicted": admissions.evicted,
            "sessions_refused_full": admissions.refusedSessions, "sessions_refused_streams": admissions.refusedStreams,
            "sessions_refused_publisher": admissions.refusedPublishers,
        ]
        for quota in ForwardQuota.allCases {
            totals["sessions_refused_\(quota.metric)"] = admissions.refusedQuotas[quota] ?? 0
        }
        return totals
    }

    /// How many sessions are not connected yet.
    public var levels: [String: Int] {
        let (sessions, halfOpen) = forwarder.read { forwarder, _ in (forwarder.sessionCount, forwarder.halfOpenCount) }
        return ["publishers": sessions.publishers, "half_open_sessions": halfOpen]
    }

    private func find(_ session: String) throws(StreamHostError) -> ICEPeerID {
        guard let id = sessions[session] else { throw .unknownSession }
        return id
    }

    private func refusing<Value>(
        _ body: () throws(ForwardError) -> Value
    ) throws(StreamHostError) -> Value {
        do throws(ForwardError) { return try body() } catch {
            switch error {
            case .unknownStream: throw .unknownStream
            case .unknownSession: throw .unknownSession
            case .unknownLayer(let name, let layers): throw .unknownLayer(name, of: layers)
            case .nothingUsable, .noFreeSlot: throw .notSupported("\(error)")
            case .refused: throw .badDescription("\(error)")
            case .tooManySessions(let limit), .tooManyStreams(let limit): throw .tooManySessions(limit: limit)
            case .quotaReached(.streamViewers, let limit):
                throw .streamQuota(ForwardQuota.streamViewers.rawValue, limit: limit)
            case .quotaReached(let quota, let limit): throw .clientQuota(quota.rawValue, limit: limit)
            case .publishedByOther: throw .publishedByOther
            case .closed: throw .isClosing
            }
        }
    }
}

extension HostedStream {
    /// A stream as the forwarder describes it.
    init(_ statistics: StreamStatistics) {
        self.init(
            statistics.name, codec: statistics.codec.rawValue, viewerCount: statistics.viewerCount,
            seconds: statistics.age.seconds, layers: statistics.layers.map { HostedLayer($0) })
    }
}

extension HostedLayer {
    /// A layer as the forwarder describes it.
    init(_ statistics: LayerStatistics) {
        self.init(
            statistics.name, width: statistics.resolution?.width ?? 0, height: statistics.resolution?.height ?? 0,
            framesPerSecond: statistics.framesPerSecond, bitsPerSecond: statistics.bitrate.bitsPerSecond)
    }
}

extension SDPFragment {
    /// The credentials and candidates of a description.
    init(_ description: SessionDescription) {
        let media = description.media.first
        let attributes = (media?.otherAttributes ?? []) + description.otherAttributes
        func value(_ name: String) -> String? { attributes.first { $0.name == name }?.value }
        let candidates = attributes.filter { $0.name == "candidate" }.compactMap(\.value)
        self.init(
            usernameFragment: value("ice-ufrag"), password: value("ice-pwd"),
            sections: [
                Section(mid: media?.mid, candidates: candidates.map { "candidate:\($0)" }, isEnd: true)
            ])
    }
}

extension ForwardClient {
    /// Who asks an endpoint.
    init(_ client: StreamClient) {
        self.init(subject: client.subject, bearer: client.bearer, address: client.address)
    }
}

extension ForwardQuota {
    /// Its name in metrics.
    var metric: String {
        switch self {
        case .bearerSessions: "token"
        case .addressSessions: "address"
        case .bearerStreams: "token_streams"
        case .addressStreams: "address_streams"
        case .streamViewers: "stream"
        }
    }
}

extension Logger {
    /// Logs what happened to a session.
    func log(_ event: ForwardEvent) {
        switch event {
        case .sectionsRejected(let session, let rejections):
            for rejection in rejections.prefix(4) {
                notice("rejected \(rejection)", metadata: metadata(session))
            }
        case .connected(let session):
            info("connected", metadata: metadata(session))
        case .firstPicture(let session, let layer, let resolution):
            let size = resolution.map { "\($0)" } ?? "unknown"
            info("first picture", metadata: metadata(session, ["layer": "\(layer)", "size": "\(size)"]))
        case .unreadable(let session, let layer):
            notice(
                "no picture can be read: frames are damaged, or wholly encrypted",
                metadata: metadata(session, ["layer": "\(layer)"]))
        case .layerChanged(let session, let layer):
            debug("layer changed", metadata: metadata(session, ["layer": "\(layer)"]))
        case .paused(let session):
            debug("paused", metadata: metadata(session))
        case .slotChanged(let session, let mid, _, let shown):
            debug("slot changed", metadata: metadata(session, ["mid": "\(mid)", "shows": "\(shown ?? "")"]))
        case .speakerChanged(let room, let stream):
            debug("speaker changed", metadata: ["room": "\(room)", "stream": "\(stream ?? "")"])
        case .overloadChanged(let level):
            notice("the thread is late", metadata: ["left out": "\(level)"])
        case .layerUnwanted(let session, let layer):
            debug("layer not wanted", metadata: metadata(session, ["layer": "\(layer)"]))
        case .layerWanted(let session, let layer):
            debug("layer wanted", metadata: metadata(session, ["layer": "\(layer)"]))
        case .codecUnavailable(let session, let codec):
            notice("the publisher's codec is not the viewer's", metadata: metadata(session, ["codec": "\(codec)"]))
        case .stopped(let session, let reason):
            notice("stopped", metadata: metadata(session, ["reason": "\(reason)"]))
        case .resumed(let session):
            info("resumed", metadata: metadata(session))
        case .ended(let session, let end):
            switch end {
            case .failed(let error):
                notice("failed", metadata: metadata(session, ["error": "\(error)"]))
            case .circuitBroken(let reason):
                notice("ended", metadata: metadata(session, ["reason": "\(reason)"]))
            case .left, .replaced, .evicted, .streamEnded, .closed:
                info("ended", metadata: metadata(session, ["reason": "\(end)"]))
            }
        }
    }

    private func metadata(_ session: ForwardSession, _ more: Metadata = [:]) -> Metadata {
        let common: Metadata = [
            "stream": "\(session.stream)", "role": session.isPublisher ? "publisher" : "viewer",
            "session": "\(session.id.rawValue)",
        ]
        return common.merging(more) { _, new in new }
    }
}

/// The sessions' identifiers, and the forwarder's numbers.
///
/// The forwarder's thread tells once for each session that it has ended, maybe before the session has an identifier
/// here.
final class SessionNames: Sendable {
    private let state = NIOLockedValueBox(State())

    private struct State {
        var ids: [String: ICEPeerID] = [:]
        /// Of every session whose end was not reported yet.
        var names: [ICEPeerID: String] = [:]
        /// Sessions whose end was reported before they were added: at most as many as are being made now.
        var ended: Set<ICEPeerID> = []
    }

    /// How many sessions it holds anything of.
    var count: Int { state.withLockedValue { $0.names.count + $0.ended.count } }

    /// Adds a session; returns its identifier: 144 random bits.
    func add(_ id: ICEPeerID) -> String {
        var random = SystemRandomNumberGenerator()
        let name = String((0..<24).map { _ in SessionNames.characters.randomElement(using: &random) ?? "0" })
        state.withLockedValue { state in
            guard state.ended.remove(id) == nil else { return }
            (state.ids[name], state.names[id]) = (id, name)
        }
        return name
    }

    /// An identifier is unknown from now on. The end of its session will be reported.
    func forget(_ name: String) { state.withLockedValue { $0.ids[name] = nil } }

    /// The end of a session was reported.
    func finish(_ id: ICEPeerID) {
        state.withLockedValue { state in
            if let name = state.names.removeValue(forKey: id) {
                state.ids[name] = nil
            } else {
                state.ended.insert(id)
            }
        }
    }

    subscript(name: String) -> ICEPeerID? { state.withLockedValue { $0.ids[name] } }

    /// 64 that a path may have.
    private static let characters = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_")
}
#endif
