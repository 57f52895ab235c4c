import RillCore

/// A host without media, for tests of endpoints, servers and clients. It stores sessions in memory, and answers each
/// offer that starts with `v=0` with the same description.
///
/// ```swift
/// let endpoint = WHIPEndpoint(host: MemoryStreamHost())
/// ```
///
/// Its identifiers are numbers, which anyone can guess. Methods may be called from any thread.
public final class MemoryStreamHost: StreamHost {
    /// The answer to every offer.
    public static let answer = "v=0\r\no=- 1 1 IN IP4 127.0.0.1\r\ns=-\r\nt=0 0\r\n"
    /// The layers of every stream.
    public static let layers = [
        HostedLayer("high", width: 1280, height: 720, framesPerSecond: 30, bitsPerSecond: 2_000_000),
        HostedLayer("low", width: 160, height: 120, framesPerSecond: 5, bitsPerSecond: 60_000),
    ]

    /// The state of a session.
    public struct Session: Equatable, Sendable {
        /// Its purpose.
        public var action: StreamAction
        /// Its stream.
        public var stream: String
        /// The fragments with candidates, in order.
        public var fragments: [SDPFragment] = []
        /// How often ICE was restarted.
        public var restartCount = 0
        /// The client that created it.
        public var client = StreamClient()
        /// The layer that was chosen; `nil` for the automatic choice.
        public var layer: String?
    }

    private struct State {
        var sessions: [String: Session] = [:]
        var publishers: [String: String] = [:]
        /// The sessions that a stream's publisher has had, the last few.
        var former: [String: [String]] = [:]
        var sessionCount = 0
        var isClosing = false
    }

    private let state = Monitor(State())
    private let sessionLimit: Int

    /// A host.
    ///
    /// - Parameter sessionLimit: the most sessions at a time.
    public init(sessionLimit: Int = 1000) { self.sessionLimit = sessionLimit }

    /// The sessions that have not ended, by their identifiers.
    public var sessions: [String: Session] { state.withLock { $0.sessions } }

    /// Refuses everything that is new from now on.
    public func close() { state.withLock { $0.isClosing = true } }

    /// Publishes a stream; a publisher that was there ends.
    public func publish(
        _ name: String, offer: String, from client: StreamClient, replacing replacement: StreamReplacement
    ) throws(StreamHostError) -> HostedSession {
        try state.withLock { (state) throws(StreamHostError) in
            if let current = state.publishers[name] {
                let subject = state.sessions[current]?.client.subject
                let isAllowed =
                    switch replacement {
                    case .anybody: true
                    case .sameSubject: subject != nil && subject == client.subject
                    case .following(let sessions):
                        sessions.contains { $0 == current || state.former[name]?.contains($0) == true }
                    }
                guard isAllowed else { throw .publishedByOther }
            }
            let id = try admit(Session(action: .publish, stream: name, client: client), offer, &state)
            let replaced = state.publishers.updateValue(id, forKey: name)
            if let replaced { state.sessions[replaced] = nil }
            state.former[name] =
                replacement == .anybody ? nil : (state.former[name] ?? []).suffix(7) + [replaced].compactMap(\.self)
            return HostedSession(id: id, answer: Self.answer)
        }
    }

    /// Adds a viewer to a stream that is published.
    public func watch(
        _ name: String, offer: String, from client: StreamClient
    ) throws(StreamHostError) -> HostedSession {
        try state.withLock { (state) throws(StreamHostError) in
            guard state.publishers[name] != nil else { throw .unknownStream }
            let id = try admit(Session(action: .watch, stream: name, client: client), offer, &state)
            return HostedSession(id: id, answer: Self.answer, layers: Self.layers)
        }
    }

    /// Keeps the fragment.
    public func addCandidates(_ fragment: SDPFragment, to session: String) throws(StreamHostError) {
        // The last few: the host of a test may live long.
        try change(session) { $0.fragments = $0.fragments.suffix(7) + [fragment] }
    }

    /// Counts the restart, and returns a fragment with one candidate.
    public func restart(_ session: String, with fragment: SDPFragment) throws(StreamHostError) -> SDPFragment {
        try change(session) { $0.restartCount += 1 }
        return SDPFragment(
            usernameFragment: "ours", password: "0123456789abcdefghijkl",
            sections: [
                .init(mid: "0", candidates: ["candidate:1 1 udp 2130706431 127.0.0.1 9 typ host"], isEnd: true)
            ])
    }

    /// Keeps the choice.
    public func select(_ layer: String?, for session: String) throws(StreamHostError) {
        let names = Self.layers.map(\.name)
        if let layer, !names.contains(layer) { throw .unknownLayer(layer, of: names) }
        try change(session) { $0.layer = layer }
    }

    /// Removes the session.
    public func end(_ session: String) throws(StreamHostError) {
        try state.withLock { (state) throws(StreamHostError) in
            guard let ended = state.sessions.removeValue(forKey: session) else { throw .unknownSession }
            if ended.action == .publish, state.publishers[ended.stream] == session {
                state.publishers[ended.stream] = nil
                state.former[ended.stream] = nil
            }
        }
    }

    /// Whether the session is there.
    public func holds(_ session: String) -> Bool { state.withLock { $0.sessions[session] != nil } }

    /// The streams that are published, by name.
    public var streams: [HostedStream] {
        state.withLock { state in
            state.publishers.keys.sorted().map { name in
                let viewers = state.sessions.values.count { $0.action == .watch && $0.stream == name }
                return HostedStream(name, codec: "test", viewerCount: viewers, seconds: 1.5, layers: Self.layers)
            }
        }
    }

    private func admit(
        _ session: Session, _ offer: String, _ state: inout State
    ) throws(StreamHostError) -> String {
        guard !state.isClosing else { throw .isClosing }
        guard offer.utf8.starts(with: "v=0".utf8) else { throw .badDescription("it does not begin with v=0") }
        guard !offer.contains("H264") else { throw .notSupported("H264") }
        guard state.sessions.count < sessionLimit else { throw .tooManySessions(limit: sessionLimit) }
        state.sessionCount += 1
        let id = "s\(state.sessionCount)"
        state.sessions[id] = session
        return id
    }

    private func change(_ id: String, _ body: (inout Session) -> Void) throws(StreamHostError) {
        try state.withLock { (state) throws(StreamHostError) in
            guard var session = state.sessions[id] else { throw .unknownSession }
            body(&session)
            state.sessions[id] = session
        }
    }
}
