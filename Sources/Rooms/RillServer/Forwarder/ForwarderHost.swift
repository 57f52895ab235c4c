#if Server
public import Logging
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
        forwarder = try makeForwarder { event in
            if case .ended(let session, _) = event { sessions.finish(session.id) }
            logger.log(event)
        }
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
        let (id, answer) = try change { (forwarder, now) throws(ForwardError) in
            try forwarder.publish(name, offer: offer, from: ForwardClient(client), condition, at: now)
        }
        return HostedSession(id: sessions.add(id), answer: answer.text)
    }

    /// Adds a viewer to a stream that is published.
    public func watch(
        _ name: String, offer: String, from client: StreamClient
    ) throws(StreamHostError) -> HostedSession {
        let (id, answer) = try change { (forwarder, now) throws(ForwardError) in
            try forwarder.watch(name, offer: offer, from: ForwardClient(client), at: now)
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
                try change { (forwarder, now) throws(ForwardError) in
                    try forwarder.addCandidate(candidate, mid: section.mid, of: id, at: now)
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
        let answer = try change { (forwarder, now) throws(ForwardError) in
            try forwarder.restart(id, usernameFragment: name, password: password, at: now)
        }
        try addCandidates(fragment, to: session)
        return SDPFragment(answer)
    }

    /// Selects a viewer's layer.
    public func select(_ layer: String?, for session: String) throws(StreamHostError) {
        let id = try find(session)
        try change { (forwarder, now) throws(ForwardError) in try forwarder.select(layer, for: id, at: now) }
    }

    /// Ends a session. Its identifier is unknown from now on.
    public func end(_ session: String) throws(StreamHostError) {
        let id = try find(session)
        sessions.forget(session)
        try change { (forwarder, now) throws(ForwardError) in try forwarder.end(id, at: now) }
    }

    /// Whether the session has not ended.
    public func holds(_ session: String) -> Bool { sessions[session] != nil }

    /// The streams that have a publisher now.
    public var streams: [HostedStream] {
        let statistics = forwarder.read { forwarder, now in forwarder.statistics(at: now) }
        return statistics.filter(\.isPublished).map { HostedStream($0) }
    }

    /// What was forwarded, sent, received and refused since the start.
    public var totals: [String: Int] {
        let (counts, keyFrames, admissions, port, dropped) = forwarder.read { forwarder, _ in
            (
                forwarder.counts, forwarder.keyFrameRequestCount, forwarder.admissions, forwarder.portStatistics,
                forwarder.droppedSound.count
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

    private func change<Value>(
        _ body: (StreamForwarder, MediaTime) throws(ForwardError) -> sending Value
    ) throws(StreamHostError) -> Value {
        do throws(ForwardError) { return try forwarder.change(body) } catch {
            switch error {
            case .unknownStream: throw .unknownStream
            case .unknownSession: throw .unknownSession
            case .unknownLayer: throw .unknownLayer
            case .refused, .nothingUsable:
                throw error == .nothingUsable ? .notSupported("\(error)") : .badDescription("\(error)")
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
#endif
