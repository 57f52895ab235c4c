public import RillCore
public import RillRTP
import RillSecurity
public import RillSession

/// A connection to one peer as WebRTC has it: offer and answer, ICE, DTLS, SRTP, and the session of all media.
///
/// Negotiate, insert datagrams and frames, and call ``poll(at:into:)`` until it returns `wait`:
///
/// ```swift
/// let certificate = try DTLSCertificate(wallClock: secondsSince1970)
/// let peer = PeerConnection(.controlled, certificate: certificate)
/// try peer.addLocalCandidate(address)                       // where our socket is reached
/// let answer = try peer.answer(offer, at: now)              // both are texts of SDP
/// …
/// peer.insert(&datagram, on: ICEPath(source), at: now)      // a datagram arrived
/// peer.send(frame, payload: bytes.span, of: high, at: now)  // a frame was encoded
/// work: while true {                                        // after each of them, and at `wakeUp`
///     switch peer.poll(at: now, into: &bytes) {
///     case .transmit(on: let path): socket.send(bytes, to: path.remote)
///     case .decode(of: let stream): decoders[stream].decode(bytes, peer.session.releasedFrame)
///     case .makeKeyFrame(of: let stream): encoders[stream].requestKeyFrame()
///     case .event(let event): app.handle(event)
///     case .wait(until: let time): wakeUp = time; break work
///     }
/// }
/// ```
///
/// All sections share one path (BUNDLE, rtcp-mux). A section that cannot be used is rejected, which is not an error.
///
/// **Strangers.** Before an address answered a check of STUN, nothing but STUN is parsed from it, and nothing of media
/// is sent there. Before the peer has shown the certificate that signaling named, there are no keys. Any input bytes
/// are safe.
///
/// It has one owner, and no thread, clock or socket; `now` must not go back. Many connections share a UDP port by
/// ``PeerPort``.
public final class PeerConnection {
    let link: PeerLink
    // No code of a caller's runs during an access to one of these: see RTPSession.
    /// Session, streams and keys; `nil` before streams were negotiated, and while they are only planned.
    @safe @exclusivity(unchecked) var media: PeerMedia?
    /// The media that was negotiated, until there are keys or somebody asks for the session; `nil` after that.
    @safe @exclusivity(unchecked) private var plan: MediaPlan?
    /// The session, if it was made.
    @safe @exclusivity(unchecked) private(set) var madeSession: RTPSession?
    @safe @exclusivity(unchecked) var counts = PeerTransportCounts()
    @safe @exclusivity(unchecked) var events: [PeerEvent] = []
    /// For tests: packets of any kind that wait to be sent.
    @safe @exclusivity(unchecked) var waitingPackets: [[UInt8]] = []
    /// The key of our packets that the media has.
    @safe @exclusivity(unchecked) private var takenKey: SRTPKey?
    /// What the last exchange changed, until the driver that holds the media takes it.
    @safe @exclusivity(unchecked) private var changedSections: [NegotiatedSection]?

    /// Creates a connection without streams.
    ///
    /// - Parameters:
    ///   - role: the role in ICE: controlling for the side that offers. Towards a lite peer this side is, in any case.
    ///   - certificate: this side's certificate. Many connections may share one.
    ///   - settings: codecs, times and limits.
    ///   - generator: where the credentials of ICE come from. It must be unpredictable.
    public init(
        _ role: ICERole, certificate: DTLSCertificate, settings: PeerConnectionSettings = PeerConnectionSettings(),
        using generator: any RandomNumberGenerator & Sendable = SystemRandomNumberGenerator()
    ) {
        link = PeerLink(role, certificate: certificate, settings: settings, using: generator)
    }

    // MARK: State

    /// The settings that it was created with.
    public var settings: PeerConnectionSettings { link.settings }
    /// The state.
    public var state: PeerConnectionState { link.state }
    /// Finds the path. To be read: this connection polls it, and tells it of the other side.
    public var agent: ICEAgent { link.agent }
    /// Agrees on the keys; `nil` before its role is known. To be read.
    public var dtls: DTLSEndpoint? { link.dtls }
    /// Offer and answer, so far.
    public var negotiator: Negotiator { link.negotiator }
    /// The session of all media; `nil` before streams were negotiated. It takes memory from when there are keys, or
    /// from when it is first asked for, if that is before.
    public var session: RTPSession? {
        if plan != nil { makeMedia() }
        return madeSession
    }
    /// The streams of pictures that are sent, in the order of their sections and layers.
    public var sendingStreams: [PeerSendingStream] { plan?.streams.sending(.video) ?? media?.sending ?? [] }
    /// The streams of pictures that are received, in the order of their sections and layers.
    public var receivingStreams: [PeerReceivingStream] { plan?.streams.receiving(.video) ?? media?.receiving ?? [] }
    /// The streams of sound that are sent, in the order of their sections.
    public var sendingSounds: [PeerSendingStream] { plan?.streams.sending(.audio) ?? media?.sendingSounds ?? [] }
    /// The streams of sound that are received, in the order of their sections.
    public var receivingSounds: [PeerReceivingStream] {
        plan?.streams.receiving(.audio) ?? media?.receivingSounds ?? []
    }
    /// When the last packet of media arrived; zero before the first.
    package var lastArrival: MediaTime { madeSession?.lastArrival ?? .zero }

    /// The statistics, as W3C webrtc-stats has them.
    ///
    /// - Parameter now: the current time.
    public func statistics(at now: MediaTime) -> PeerStatistics {
        PeerStatistics(link, counts, session?.statistics, at: now)
    }

    /// The statistics of a connection whose media a driver holds: with its session, whose packets are counted without
    /// SRTP's tags; `nil` for none.
    package func statistics(of session: SessionStatistics?, at now: MediaTime) -> PeerStatistics {
        var counts = PeerTransportCounts()
        if let transport = session?.transport {
            (counts.packetsSent, counts.packetsReceived) = (transport.packetsSent, transport.packetsReceived)
            (counts.bytesSent, counts.bytesReceived) = (transport.bytesSent, transport.bytesReceived)
        }
        return PeerStatistics(link, counts, session, at: now)
    }

    /// What SRTP protected and unprotected; `nil` before there are keys.
    public var protection: (sent: ProtectStatistics, received: UnprotectStatistics)? {
        media?.protection
    }

    /// The keys of SRTP, once the handshake is done with the right peer.
    package var keys: DTLSSRTPKeys? { link.keys }

    // MARK: Offer and answer

    /// Adds an address at which our socket is reached. Before the first description, the preferred ones first.
    ///
    /// - Parameters:
    ///   - address: the address.
    ///   - socket: the driver's number of the socket.
    /// - Throws: ``PeerError/ice(_:)``.
    public func addLocalCandidate(_ address: UDPAddress, socket: Int = 0) throws(PeerError) {
        do throws(ICEError) { try agent.addLocalCandidate(address, socket: socket) } catch { throw .ice(error) }
    }

    /// Changes what is to be negotiated: adds, stops or turns transceivers. It takes effect with the next offer or
    /// answer.
    ///
    /// - Parameter body: what to do with the negotiator.
    /// - Returns: what `body` returns.
    @discardableResult
    public func change<Value, Failure: Error>(
        _ body: (inout Negotiator) throws(Failure) -> Value
    ) throws(Failure) -> Value {
        try body(&link.negotiator)
    }

    /// Adds a transceiver. It takes effect with the next offer or answer.
    @discardableResult
    package func addTransceiver(_ settings: TransceiverSettings) throws(PeerError) -> TransceiverID {
        do throws(NegotiationError) { return try link.negotiator.addTransceiver(settings) } catch {
            throw .negotiation(error)
        }
    }

    /// Makes an offer, and sets it as the local description.
    ///
    /// - Parameters:
    ///   - restartsICE: whether to find another path, as after a change of the network.
    ///   - now: the current time.
    /// - Returns: the offer, to be signaled.
    /// - Throws: ``PeerError/negotiation(_:)`` in the wrong state, ``PeerError/closed``.
    public func offer(restartsICE: Bool = false, at now: MediaTime) throws(PeerError) -> SessionDescription {
        let offer = try link.offer(restartsICE: restartsICE, at: now)
        try apply(offer.sections, at: now)
        return offer.description
    }

    /// Sets the other side's offer, makes the answer, and sets that.
    ///
    /// Our own offer that was not answered yet is rolled back: in a glare of two offers, only the side that is to give
    /// way must call this.
    ///
    /// - Parameters:
    ///   - offer: the other side's offer, as text.
    ///   - now: the current time.
    /// - Returns: the answer, to be signaled.
    /// - Throws: ``PeerError``, which names the line of a text that cannot be used.
    public func answer(_ offer: String, at now: MediaTime) throws(PeerError) -> SessionDescription {
        try setRemote(.offer, offer, at: now)
        return try answer(at: now)
    }

    /// Makes the answer to the offer that was set with ``setRemote(_:_:at:)``, and sets it as the local description.
    ///
    /// - Parameter now: the current time.
    /// - Returns: the answer, to be signaled.
    /// - Throws: ``PeerError``.
    public func answer(at now: MediaTime) throws(PeerError) -> SessionDescription {
        let answer = try link.answer(at: now)
        try apply(answer.sections, at: now)
        return answer.description
    }

    /// Sets a description of the other side.
    ///
    /// - Parameters:
    ///   - kind: offer or answer; a rollback has no text.
    ///   - text: the description.
    ///   - now: the current time.
    /// - Throws: ``PeerError``, which names the line of a text that cannot be used. Then nothing has changed.
    public func setRemote(_ kind: DescriptionKind, _ text: String = "", at now: MediaTime) throws(PeerError) {
        try apply(try link.setRemote(kind, text, at: now), at: now)
    }

    /// Takes back our offer that was not answered.
    ///
    /// - Parameter now: the current time.
    /// - Throws: ``PeerError/negotiation(_:)`` if there is none.
    public func rollback(at now: MediaTime) throws(PeerError) { try link.rollback(at: now) }

    /// Adds a candidate of the other side that was trickled. An empty text ends the candidates.
    ///
    /// - Parameters:
    ///   - text: the candidate, as `RTCIceCandidate.candidate` has it.
    ///   - mid: the section for which it was gathered.
    ///   - now: the current time.
    /// - Returns: whether it is used: not if it is a name of multicast DNS, of TCP, or of another generation.
    /// - Throws: ``PeerError``.
    @discardableResult
    public func addRemoteCandidate(_ text: String, mid: String? = nil, at now: MediaTime) throws(PeerError) -> Bool {
        try link.addRemoteCandidate(text, mid: mid, at: now)
    }

    /// Makes the session's streams those of the sections.
    private func apply(_ sections: [NegotiatedSection]?, at now: MediaTime) throws(PeerError) {
        guard let sections else { return }
        guard !settings.passesMedia else {
            changedSections = sections
            return
        }
        if media == nil, plan == nil {
            // Made once to find errors, and to know the streams. A peer that never comes costs no session.
            var trial = PeerMedia(PeerMediaSettings(settings), for: sections)
            let hasStreams = try trial.apply(sections, at: now)
            plan = MediaPlan(sections, trial.streams, at: now)
            if hasStreams { events.append(.streamsChanged) }
            return takeKeys()
        }
        makeMedia()
        if try media?.apply(sections, at: now) == true { events.append(.streamsChanged) }
    }

    /// Makes the media that was planned.
    private func makeMedia() {
        guard let plan else { return }
        self.plan = nil
        var made = PeerMedia(PeerMediaSettings(settings), for: plan.sections)
        do throws(PeerError) { _ = try made.apply(plan.sections, at: plan.time) } catch {
            preconditionFailure("the same media, made again: \(error)")
        }
        precondition(made.streams == plan.streams, "the same media has other streams")
        madeSession = made.session
        media = consume made
    }

    /// Takes all sections, if an exchange has changed what is negotiated since this was last called: for a driver that
    /// holds the media.
    package func takeSections() -> [NegotiatedSection]? { changedSections.take() }

    /// Takes the keys of a handshake that is done, once.
    func takeKeys() {
        guard media != nil || plan != nil, let keys = link.keys, keys.sending != takenKey else { return }
        makeMedia()
        takenKey = keys.sending
        do throws(SecurityError) { try media?.setKeys(sending: keys.sending, receiving: keys.receiving) } catch {
            link.fail(.security(error))
        }
    }
}

/// Media that was agreed on and is not made yet: nobody has shown to be there.
private final class MediaPlan {
    /// What was agreed on first.
    let sections: [NegotiatedSection]
    /// The streams that follow.
    let streams: PeerStreams
    /// When it was agreed on.
    let time: MediaTime

    init(_ sections: [NegotiatedSection], _ streams: PeerStreams, at time: MediaTime) {
        (self.sections, self.streams, self.time) = (sections, streams, time)
    }
}

extension PeerMediaSettings {
    /// What a connection's settings say of its media.
    init(_ connection: PeerConnectionSettings) {
        // Not the link's numbers once more.
        self.init(protection: .keys, seed: ~connection.seed)
        (canonicalName, wallClockAtZero) = (connection.canonicalName, connection.wallClockAtZero)
        (congestion, playoutDelay, timeouts) = (connection.congestion, connection.playoutDelay, connection.timeouts)
        isOpaque = connection.isOpaque
    }
}
