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
    private let sessions: SessionTable

    /// Opens the port for media, and starts its thread.
    ///
    /// - Parameters:
    ///   - logger: where events go.
    ///   - makeForwarder: makes the forwarder, which tells its events to the function that it is given.
    public init(
        logger: Logger, _ makeForwarder: (@escaping @Sendable (ForwardEvent) -> Void) throws -> LiveForwarder
    ) rethrows {
        let sessions = SessionTable()
        self.sessions = sessions
        forwarder = try makeForwarder { event in
            if case .ended(let session, _) = event { sessions.remove(session.id) }
            logger.log(event)
        }
    }

    /// Publishes a stream of the forwarder's, under an identifier of its own.
    public func publish(_ name: String, offer: String) throws(StreamHostError) -> HostedSession {
        let (id, answer) = try refusing { () throws(ForwardError) in try forwarder.publish(name, offer: offer) }
        return HostedSession(id: sessions.add(id), answer: answer.text)
    }

    /// Adds a viewer to a stream that is published.
    public func watch(_ name: String, offer: String) throws(StreamHostError) -> HostedSession {
        let (id, answer) = try refusing { () throws(ForwardError) in try forwarder.watch(name, offer: offer) }
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
        sessions.remove(id)
        try refusing { () throws(ForwardError) in try forwarder.end(id) }
    }

    /// Whether the session has not ended.
    public func holds(_ session: String) -> Bool { sessions[session] != nil }

    /// The streams that have a publisher now.
    public var streams: [HostedStream] {
        let statistics = forwarder.read { forwarder, now in forwarder.statistics(at: now) }
        return statistics.filter(\.isPublished).map { HostedStream($0) }
    }

    /// What was forwarded, sent and received since the start.
    public var totals: [String: Int] {
        let (counts, keyFrames, dropped) = forwarder.read { forwarder, _ in
            (forwarder.counts, forwarder.keyFrameRequestCount, forwarder.droppedSound.count)
        }
        let transport = forwarder.transportStatistics
        return [
            "frames_forwarded": counts.frames, "key_frames_forwarded": counts.keyFrames,
            "bytes_forwarded": counts.bytes,
            "frames_left_out": counts.framesLeftOut, "audio_packets_forwarded": counts.audioPackets,
            "audio_packets_dropped": dropped,
            "layer_changes": counts.layerChanges, "key_frame_requests": keyFrames,
            "datagrams_sent": transport.sent, "datagrams_received": transport.received,
        ]
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
            case .unknownLayer: throw .unknownLayer
            case .refused, .nothingUsable:
                throw error == .nothingUsable ? .notSupported("\(error)") : .badDescription("\(error)")
            case .tooManySessions(let limit), .tooManyStreams(let limit): throw .tooManySessions(limit: limit)
            case .closed: throw .isClosing
            }
        }
    }
}

/// The sessions' identifiers, and the forwarder's numbers.
private final class SessionTable: Sendable {
    private let state = NIOLockedValueBox(State())

    private struct State {
        var ids: [String: ICEPeerID] = [:]
        var names: [ICEPeerID: String] = [:]
        /// Sessions that ended before they were added: their thread is another one.
        var ended: Set<ICEPeerID> = []
    }

    /// Adds a session; returns its identifier: 144 random bits.
    func add(_ id: ICEPeerID) -> String {
        var random = SystemRandomNumberGenerator()
        let name = String((0..<24).map { _ in SessionTable.characters.randomElement(using: &random) ?? "0" })
        state.withLockedValue { state in
            guard state.ended.remove(id) == nil else { return }
            (state.ids[name], state.names[id]) = (id, name)
        }
        return name
    }

    func remove(_ id: ICEPeerID) {
        state.withLockedValue { state in
            if let name = state.names.removeValue(forKey: id) {
                state.ids[name] = nil
            } else if state.ended.count < 1000 {
                state.ended.insert(id)
            }
        }
    }

    subscript(name: String) -> ICEPeerID? { state.withLockedValue { $0.ids[name] } }

    /// 64 that a path may have.
    private static let characters = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_")
}
