public import RillCore
package import RillPeer
public import RillRTP
import RillReceive
public import RillSecurity
import RillSend
import RillSession
import RillThreads

/// Another participant of a ``VideoCall``: what they send, and which of it is shown.
///
/// ```swift
/// let bob = try call.connect(to: address, over: socket, key: key)
/// try bob.show(on: screen)                       // a sink, called by a decoding thread
/// try bob.want(.low)                             // the layer to show
/// for await picture in try bob.pictures() { … }  // or, instead of a sink, a sequence
/// ```
///
/// An app that does not care about layers shows one sequence of pictures, and chooses its layer with ``want(_:)``. An
/// app that needs several layers at once shows them one by one (``show(_:on:_:)``). A layer that is not shown is not
/// decoded. The participant is asked to pause it (PAUSE, RFC 7728) if their description supports that; Rill does.
/// Their events are in ``VideoCall/events``.
///
/// Threads: all methods may be called from any thread, and by sinks. Sinks are called on `rill-decode-…` with no lock
/// held, one picture at a time.
public final class CallParticipant: Sendable, Identifiable {
    /// The participant's name in events and logs.
    public let name: String
    /// The participant's number in this call; it is never reused.
    public let id: Int

    let session: SharedSession
    let input: CallInput
    let output: CallOutput
    private let line: CallLine
    let poller: CallPoller
    private let described: Monitor<[StreamDescription]>
    private let settings: VideoCallSettings
    /// The feedback that the bitrate follows; `nil` if it does not follow the network.
    let expectedFeedback: StreamDescription.CongestionFeedback?
    let ourLayers: [LayerSettings]
    let clock: LiveClock
    let emit: @Sendable (CallEvent) -> Void
    /// Is called when we have left the participant.
    private let forget: @Sendable (CallParticipant) -> Void
    /// Is called when the participant wants other layers of ours than before.
    let noteWants: @Sendable () -> Void
    let state: Monitor<State>
    let encoders = Monitor(Encoders())

    /// Asks for key frames of our layers, by their places.
    struct Encoders {
        var requestKeyFrame: (@Sendable (Int) -> Void)?
    }

    struct State: ~Copyable {
        var place: Int?
        /// The streams of their layers, in order; `nil` for one that cannot be received.
        var receiving: [ReceivingStreamID?] = []
        /// Layers that are shown one by one.
        var shown: [Int: ShownLayer] = [:]
        /// What shows them as one sequence.
        var view: ParticipantView?
        /// The wanted layer, and the one that is shown.
        var choice: LayerChoice
        var selector = LayerSelector()
        /// What is hidden, and not yet finished.
        var hidden: [ShownLayer] = []
        var hiddenViews: [ParticipantView] = []
        /// They announced that they leave.
        var hasLeftRemotely = false
        var isLeaving = false
        /// What they are sent.
        var sent: [LayerSwitch] = []
        /// The layers that they may be sent (``LayerReductions``).
        var allowed = LayerSet.all
        /// We are muted.
        var isMuted = false
        var keyFrames = KeyFrameBudget()
        /// Whether there are keys, or none are needed.
        var isReady: Bool
    }

    init(
        _ participant: ParticipantSettings, id: Int, over line: CallLine, _ poller: CallPoller,
        _ settings: VideoCallSettings, _ layers: [LayerSettings], clock: LiveClock,
        emit: @escaping @Sendable (CallEvent) -> Void, forget: @escaping @Sendable (CallParticipant) -> Void,
        noteWants: @escaping @Sendable () -> Void
    ) throws {
        (self.forget, self.noteWants) = (forget, noteWants)
        (self.id, self.line, self.poller, self.clock, self.emit) = (id, line, poller, clock, emit)
        name = participant.name
        expectedFeedback = settings.send.congestion?.feedback
        ourLayers = layers
        let agreement = CallAgreement(participant, settings, layers)
        let streams = agreement.described
        var settings = settings
        settings.send.setBounds(for: layers)
        (described, self.settings) = (Monitor(streams), settings)
        var media = PeerMedia(PeerMediaSettings(settings, participant, clock), for: agreement.sections)
        if let sending = participant.sendingKey, let receiving = participant.receivingKey {
            try media.setKeys(sending: sending, receiving: receiving)
        }
        session = SharedSession(media)
        input = CallInput(participant, of: session)
        output = CallOutput(participant, of: session, over: line)
        let sizes = streams.layerSizes(like: layers)
        var choice = LayerChoice(sizes: sizes, fallback: settings.fallback)
        if !streams.isEmpty { choice.want(.layer(0), at: clock.now) }
        var selector = LayerSelector()
        selector.want(choice.chosen)
        state = Monitor(State(choice: choice, selector: selector, isReady: !participant.awaitsKeys))
        try agree(agreement)
    }

    /// The streams of the participant's layers, in order. Negotiation may add some at the end, and put another stream
    /// in the place of one whose section is gone.
    var streams: [StreamDescription] { described.withLock { $0 } }

    /// Starts sending to the participant and serving them.
    ///
    /// - Parameters:
    ///   - isShared: whether others get the same frames, and so the key frames that this participant asks for.
    ///   - requestKeyFrame: asks for a key frame of a layer.
    /// - Throws: ``ThreadError``. Then nothing has begun.
    func begin(
        isShared: @escaping @Sendable () -> Bool, _ requestKeyFrame: @escaping @Sendable (Int) -> Void
    ) throws(ThreadError) {
        encoders.withLock { $0.requestKeyFrame = requestKeyFrame }
        session.listen { [weak self] stream in
            guard let self, let layer = state.withLock({ $0.sent.layer(of: stream) }) else { return }
            let isShared = isShared()
            let isGranted = state.withLock { !isShared || $0.keyFrames.take(layer, at: clock.now) }
            if isGranted { requestKeyFrame(layer) }
        }
        try line.add(self, at: line.transport.remoteAddress ?? output.address)
        state.withLock { $0.place = poller.add(self) }
    }

    /// The participant's address, if it is known.
    public var address: UDPAddress? { line.transport.remoteAddress ?? output.address }

    /// Our layers that the participant is sent, and their streams.
    var sentLayers: [(layer: LayerSettings, stream: SendingStreamID)] {
        let sent = state.withLock { $0.sent }
        return ourLayers.enumerated().compactMap { index, layer in sent.stream(of: index).map { (layer, $0) } }
    }

    var sendingKey: SRTPKey? { output.key }

    var sendSettings: SendSettings { settings.send }

    // MARK: Streams

    /// Makes the streams of both directions those that were negotiated again.
    ///
    /// A stream that is not among them any more is paused, so that it can come back with its SSRC, or ends with its
    /// section.
    /// New layers of theirs are shown by the next ``show(on:_:)``, unless they take the place of one that is shown.
    ///
    /// - Parameters:
    ///   - sections: all sections.
    ///   - carried: our layers that they carry.
    /// - Throws: ``CallError/invalidDescription(_:)``, or what the session refuses.
    package func agree(on sections: [NegotiatedSection], carrying carried: [TransceiverID: [StreamLayer.RID]]) throws {
        try agree(CallAgreement(sections, carrying: carried))
        noteWants()
        wakePoller()
    }

    private func agree(_ agreement: CallAgreement) throws {
        let now = clock.now
        let places = try agreement.places(among: ourLayers)
        let (sent, received): ([PeerSendingStream], [PeerReceivingStream])
        do throws(PeerError) {
            (sent, received) = try session.withMedia { (media) throws(PeerError) in
                _ = try media.apply(agreement.sections, at: now) { transceiver, stream, sending in
                    let carried = places(transceiver, stream).map { ourLayers[$0] }
                    agreement.adjust(&sending, of: carried, settings.send)
                }
                media.refuseOwnSources()
                return (media.sending, media.receiving)
            }
        } catch {
            throw error.ofCall
        }
        let replaced = state.withLock { state in
            let before = state.sent
            state.sent = sent.compactMap { stream in
                let carried = places(stream.transceiver, stream.description)
                return before.first { $0.id == stream.id }
                    ?? (carried.isEmpty ? nil : LayerSwitch(stream.id, of: carried))
            }
            for index in state.sent.indices { state.sent[index].limit(to: state.allowed) }
            return receive(received, &state, at: now)
        }
        for layer in replaced { layer.use { $0.interrupt() } }
        // Key frames of new streams.
        session.change(delivering: output.send) { _ in }
    }

    /// Gives each stream of theirs its place among the layers.
    ///
    /// - Returns: shown layers that another stream has now.
    private func receive(_ current: [PeerReceivingStream], _ state: inout State, at now: MediaTime) -> [ShownLayer] {
        let before = streams
        var places = LayerPlaces(before, state.receiving)
        let changed = places.take(current)
        state.receiving = places.streams
        let all = places.descriptions
        described.withLock { $0 = all }
        // Without a sequence that is shown, new layers are among those that it may show.
        if all.count > before.count, state.view == nil {
            state.choice = LayerChoice(
                sizes: all.layerSizes(like: ourLayers), fallback: settings.fallback)
            state.choice.want(.layer(0), at: now)
            state.selector.want(state.choice.chosen)
        }
        applyNeeds(&state, at: now)
        return changed.compactMap { state.shown[$0] ?? state.view?.layer($0) }
    }

    // MARK: Keys

    /// Protects our packets with another key, from the next packet on. The participant must have it by then.
    ///
    /// - Parameter key: the new key.
    /// - Throws: ``CallError/notProtected`` in a call without keys; `indistinguishableKey` if one of the two keys has
    ///   no identifier, or both have the same.
    public func changeSendingKey(to key: SRTPKey) throws {
        guard input.isProtected else { throw CallError.notProtected }
        try session.withMedia { (media) throws(SecurityError) in try media.changeSendingKey(to: key) }
        output.key = key
    }

    /// Also accepts packets that the participant protects with this key.
    ///
    /// - Parameter key: the additional key.
    /// - Throws: ``CallError/notProtected`` in a call without keys; otherwise as
    ///   ``RillSecurity/SRTPUnprotector/add(_:)``.
    public func addReceivingKey(_ key: SRTPKey) throws {
        guard input.isProtected else { throw CallError.notProtected }
        try session.withMedia { (media) throws(SecurityError) in try media.addReceivingKey(key) }
    }

    /// Stops accepting packets under a key; `false` if no key has that identifier, or it is the only one.
    @discardableResult
    public func removeReceivingKey(_ identifier: MasterKeyIdentifier) -> Bool {
        session.withMedia { $0.removeReceivingKey(identifier) }
    }

    /// Sets how often the sequence number of one of their sources wrapped before we joined, if signaling knows it.
    public func expect(_ source: SSRC, rolloverCounter: UInt32) {
        session.withMedia { $0.expect(source, rolloverCounter: rolloverCounter) }
    }

    func refuseOwnSources() { session.withMedia { $0.refuseOwnSources() } }

    /// Sets the keys that a participant's settings awaited. From now on we send to them, and take their packets.
    ///
    /// - Parameters:
    ///   - sending: the key of our packets.
    ///   - receiving: the key of theirs.
    /// - Throws: `libraryFailed`.
    package func setKeys(sending: SRTPKey, receiving: SRTPKey) throws(SecurityError) {
        try session.withMedia { (media) throws(SecurityError) in
            try media.setKeys(sending: sending, receiving: receiving)
            media.refuseOwnSources()
        }
        output.key = sending
        state.withLock { $0.isReady = true }
        noteWants()
        // The key frames with which streams begin.
        session.change(delivering: output.send) { _ in }
        wakePoller()
    }

    /// Sends to another address from now on, as ICE found it.
    package func setAddress(_ address: UDPAddress) { line.move(self, from: self.address, to: address) }

    // MARK: Leaving

    /// Leaves the participant, and sends them the reason. Nothing of theirs is shown after the picture in progress.
    /// The decoding thread finishes the sinks.
    ///
    /// - Parameter reason: 1 to 255 bytes of UTF-8; a longer one is cut.
    public func leave(reason: String? = nil) {
        let isFirst = state.withLock { state in
            defer { state.isLeaving = true }
            return !state.isLeaving
        }
        guard isFirst else { return }
        session.change(delivering: output.sendFarewell) { $0.leave(reason: reason, at: clock.now) }
        line.remove(self)
        forget(self)
        wakePoller()
    }

    /// Whether we have left the participant.
    public var hasLeft: Bool { state.withLock { $0.isLeaving } }

    // MARK: Datagrams

    /// Inserts arrived packets into the session.
    func insert(at now: MediaTime, _ body: (inout PeerMedia) -> Void) {
        let next = session.changeMedia(delivering: output.send) { media in
            body(&media)
            return media.session.nextPoll
        }
        if let place = state.withLock({ $0.place }) { poller.wake(self, at: place, when: next) }
    }

    func move(from old: UDPAddress?, to address: UDPAddress) {
        output.move(to: address)
        session.look { $0.restartCongestionControl(at: clock.now) }
        emit(.moved(self, from: old, to: address))
    }

    func wakePoller() {
        if let place = state.withLock({ $0.place }) { poller.wake(self, at: place, when: MediaTime(nanoseconds: .min)) }
    }

    /// Whether nothing of theirs is held or being shown, and nothing of ours waits to leave.
    package var isIdle: Bool {
        guard session.look({ $0.isIdle && $0.pacedPacketCount == 0 }) else { return false }
        return state.withLock { $0.place }.map { !poller.isServing(at: $0) } ?? true
    }
}
