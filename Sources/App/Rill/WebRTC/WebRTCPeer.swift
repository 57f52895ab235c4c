import RillCodec
import RillCore
public import RillPeer
import RillRTP
import RillSecurity
import RillSession
import RillThreads

/// A WebRTC peer of a call: a browser, or a server that speaks to browsers.
///
/// It is a participant of the call (``participant``) from the moment that both descriptions are there. Then the app
/// needs this object only to negotiate again, and to see the state of the connection.
///
/// Threads: all methods may be called from any thread.
public final class WebRTCPeer: Sendable {
    /// The peer's name in events and logs.
    public let name: String
    /// The states of the connection, for one loop at a time. It ends when the peer is closed.
    public let states: AsyncStream<PeerConnectionState>

    private let port: WebRTCPort
    private let settings: WebRTCSettings
    private let layers: [LayerSettings]
    private let report: AsyncStream<PeerConnectionState>.Continuation
    private let state: Monitor<State>

    private struct State: ~Copyable {
        var id: ICEPeerID?
        var participant: CallParticipant?
        var description = ""
        var connection = PeerConnectionState.new
        var failure: PeerError?
        /// The layers that a transceiver carries.
        var carried: [TransceiverID: [StreamLayer.RID]] = [:]
        /// The key of our packets that the participant has. Another certificate of the peer's brings another.
        var sendingKey: SRTPKey?
        var address: UDPAddress?
    }

    init(_ name: String, on port: WebRTCPort, _ settings: WebRTCSettings, isOffering: Bool) throws {
        (self.name, self.port) = (name, port)
        (states, report) = AsyncStream.makeStream(of: PeerConnectionState.self)
        layers = try port.requireCall().sentLayers
        state = Monitor(State())
        var settings = settings
        if !layers.isEmpty {
            // What the call does not encode cannot be sent.
            let codecs = Set(layers.map(\.codec))
            settings.negotiation.videoCodecs.removeAll { !codecs.contains($0) }
        }
        self.settings = settings
        let made = Result { () throws(PeerError) in try port.makeConnection(settings, isOffering: isOffering) }
        // Handed over, and no longer used here.
        nonisolated(unsafe) let connection = try made.get()
        // Held until it is closed, with the call at the latest: an app that drops this object keeps the connection.
        let id = try port.transport.add({ unsafe connection }) { [self] event, view in take(event, view) }
        state.withLock { $0.id = id }
    }

    // MARK: State

    /// The peer as a participant of the call; `nil` before both descriptions are there.
    public var participant: CallParticipant? { state.withLock { $0.participant } }
    /// Our newest description, offer or answer, to be signaled.
    public var localDescription: String { state.withLock { $0.description } }
    /// The state of the connection.
    public var connectionState: PeerConnectionState { state.withLock { $0.connection } }
    /// Why the connection failed; `nil` if it has not.
    public var failure: PeerError? { state.withLock { $0.failure } }

    /// The statistics, as W3C webrtc-stats has them. Bytes of the transport are without SRTP's tags; `nil` once the
    /// peer is closed.
    public var statistics: PeerStatistics? {
        let (id, participant) = state.withLock { ($0.id, $0.participant) }
        return id.flatMap { port.transport.statistics(of: $0, participant?.statistics.session) }
    }

    /// The sections (`mid`) that send, in the order of the descriptions.
    package var sendingMids: [String] {
        guard let id = state.withLock({ $0.id }) else { return [] }
        let mids = port.transport.change(id) { peer, _ in
            peer.negotiator.transceivers.filter { [.sendOnly, .sendAndReceive].contains($0.direction) }.compactMap(
                \.mid)
        }
        return mids ?? []
    }

    // MARK: Offer and answer

    /// Answers another offer of the peer's, which changes what is sent and received.
    ///
    /// - Parameter offer: the text of the offer. An offer of ours that was not answered yet is taken back.
    /// - Returns: the answer.
    /// - Throws: ``/RillPeer/PeerError``, ``/Rill/CallError``.
    public func answer(_ offer: String) throws -> String {
        let (answer, sections) = try change { (peer, now) throws(PeerError) in
            (try peer.answer(offer, at: now).text, peer.takeSections())
        }
        state.withLock { $0.description = answer }
        try apply(sections)
        return answer
    }

    /// Makes another offer, which changes what is sent and received, or finds another path.
    ///
    /// - Parameter restartsICE: whether to find another path, as after a change of the network.
    /// - Returns: the offer; pass the answer to ``accept(_:)``.
    /// - Throws: ``/RillPeer/PeerError``.
    public func offer(restartsICE: Bool = false) throws(PeerError) -> String {
        let offer = try change { (peer, now) throws(PeerError) in
            try peer.offer(restartsICE: restartsICE, at: now).text
        }
        state.withLock { $0.description = offer }
        return offer
    }

    /// Takes the peer's answer to our offer.
    ///
    /// - Parameter answer: the text of the answer.
    /// - Throws: ``/RillPeer/PeerError``, as `nothingAccepted` for an answer that rejects all, which closes the
    ///   connection; ``/Rill/CallError``.
    public func accept(_ answer: String) throws {
        let (sections, rejections) = try change { (peer, now) throws(PeerError) in
            try peer.setRemote(.answer, answer, at: now)
            return (peer.takeSections(), peer.negotiator.sections.isEmpty ? peer.negotiator.rejections : [])
        }
        guard rejections.isEmpty else {
            close()
            throw PeerError.nothingAccepted(rejections)
        }
        try apply(sections)
    }

    /// Adds a candidate of the peer's that was trickled. The empty text ends the candidates.
    ///
    /// - Parameters:
    ///   - text: the candidate, as `RTCIceCandidate.candidate` has it.
    ///   - mid: the section for which it was gathered.
    /// - Throws: ``/RillPeer/PeerError``.
    public func addCandidate(_ text: String, mid: String? = nil) throws(PeerError) {
        _ = try change { (peer, now) throws(PeerError) in try peer.addRemoteCandidate(text, mid: mid, at: now) }
    }

    /// Closes the connection, and leaves the participant.
    public func close() {
        let (id, participant) = state.withLock { ($0.id, $0.participant) }
        // While there is still a path.
        participant?.leave()
        guard let id else { return }
        // The end is told as an event, like the other side's.
        port.transport.change(id) { peer, now in peer.close(at: now) }
    }

    private func change<Value>(_ body: (PeerConnection, MediaTime) throws(PeerError) -> Value) throws(PeerError)
        -> Value
    {
        guard let id = state.withLock({ $0.id }), let value = try port.transport.change(id, body) else {
            throw .closed
        }
        return value
    }

    // MARK: Media

    func addTransceivers() throws(PeerError) {
        let sections = layers.isEmpty ? [] : settings.sections ?? [layers.map(\.rid)]
        let carried = try change { (peer, _) throws(PeerError) in
            var carried: [TransceiverID: [StreamLayer.RID]] = [:]
            for names in sections {
                let encodings = names.compactMap { name in layers.first { $0.rid == name }.map { SendingEncoding($0) } }
                var transceiver = TransceiverSettings(.video, settings.receives ? .sendAndReceive : .sendOnly)
                transceiver.sending = encodings
                if carried.isEmpty { transceiver.receivedRIDs = settings.wantedLayers }
                carried[try peer.addTransceiver(transceiver)] = names
            }
            if sections.isEmpty, settings.receives {
                var transceiver = TransceiverSettings(.video, .receiveOnly)
                transceiver.receivedRIDs = settings.wantedLayers
                try peer.addTransceiver(transceiver)
            }
            for _ in 0..<min(max(settings.receiveSlots, 0), 64) {
                try peer.addTransceiver(TransceiverSettings(.video, .receiveOnly))
            }
            return carried
        }
        state.withLock { $0.carried = carried }
    }

    /// Makes the participant's streams those of the sections.
    private func apply(_ sections: [NegotiatedSection]?) throws {
        guard let sections else { return }
        let (known, carried) = state.withLock { ($0.participant, $0.carried) }
        if let known {
            try known.agree(on: sections, carrying: carried)
        } else {
            var them = ParticipantSettings(name, at: nil, key: nil)
            (them.awaitsKeys, them.sections, them.carried) = (true, sections, carried)
            let made = try port.requireCall().add(them, over: port.transport)
            state.withLock { $0.participant = made }
        }
        // What happened before there was a participant.
        if let id = state.withLock({ $0.id }), let view = port.transport.view(of: id) { follow(view) }
    }

    private func take(_ event: PeerEvent, _ view: WebRTCTransport.PeerView) {
        follow(view)
        switch event {
        case .stateChanged(_, let next):
            state.withLock { $0.connection = next }
            report.yield(next)
            guard next == .closed else { return }
            report.finish()
            participant?.leave()
            if let id = state.withLock({ $0.id.take() }) { port.transport.remove(id) }
        case .failed(let error): state.withLock { $0.failure = error }
        case .streamsChanged, .ice, .warning, .keysAgreed, .session: break
        }
    }

    /// Gives the participant the address that ICE has found, and the keys that DTLS has agreed on.
    private func follow(_ view: WebRTCTransport.PeerView) {
        let (participant, address, keys) =
            state.withLock { state in
                guard let participant = state.participant else { return (nil, nil, nil) }
                let address = view.path?.remote == state.address ? nil : view.path?.remote
                let keys = view.keys?.sending == state.sendingKey ? nil : view.keys
                state.address = address ?? state.address
                state.sendingKey = keys?.sending ?? state.sendingKey
                return (participant, address, keys)
            } as (CallParticipant?, UDPAddress?, DTLSSRTPKeys?)
        if let address { participant?.setAddress(address) }
        guard let keys else { return }
        do { try participant?.setKeys(sending: keys.sending, receiving: keys.receiving) } catch {
            state.withLock { $0.failure = .security(error) }
        }
    }
}

extension SendingEncoding {
    fileprivate init(_ layer: LayerSettings) {
        var limits = StreamDescription.Limits()
        limits.take(layer)
        self.init(rid: layer.rid.description, limits: limits)
    }
}
