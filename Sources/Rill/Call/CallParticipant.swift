public import RillCore
public import RillRTP
import RillReceive
public import RillSecurity
import RillSend
import RillSession
import RillThreads
import Synchronization

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
    private let poller: CallPoller
    let streams: [StreamDescription]
    /// The feedback that the bitrate follows; `nil` if it does not follow the network.
    let expectedFeedback: StreamDescription.CongestionFeedback?
    /// One stream for each of our layers; `nil` for layers that the participant is not sent.
    private let sending: [SendingStreamID?]
    private let ourLayers: [LayerSettings]
    let clock: LiveClock
    let emit: @Sendable (CallEvent) -> Void
    /// Is called when we have left the participant.
    private let forget: @Sendable (CallParticipant) -> Void
    /// Is called when the participant wants other layers of ours than before.
    let noteWants: @Sendable () -> Void
    let state: Monitor<State>

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
        /// Layers whose first frame, a key frame, was sent.
        var begun: Set<Int> = []
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
        streams = participant.streams ?? settings.streams()
        session = SharedSession(RTPSessionSettings(settings, participant, clock))
        input = try CallInput(participant.receivingKey, isAddressKnown: participant.address != nil)
        output = try CallOutput(participant.sendingKey, to: participant.address, over: line)
        // Not from a seed: a key must never be used twice with the same SSRC and sequence number.
        var random = SystemRandomNumberGenerator()
        sending = try layers.map { [session] layer -> SendingStreamID? in
            guard participant.layers?.contains(layer.rid) ?? true else { return nil }
            var stream = settings.send.stream(of: layer, using: &random)
            stream.rid = StreamIdentifier(layer.rid.description)
            return try LayerStream(stream, on: session).id
        }
        let sizes = streams.layerSizes(like: layers)
        var choice = LayerChoice(sizes: sizes, fallback: settings.fallback.map(LayerFallback.Settings.init))
        if !streams.isEmpty { choice.want(.layer(0), at: clock.now) }
        var selector = LayerSelector()
        selector.want(choice.chosen)
        state = Monitor(State(choice: choice, selector: selector))
        receiveAll()
        refuseOwnSources()
    }

    /// Starts sending to the participant and serving them.
    func begin(_ requestKeyFrame: @escaping @Sendable (Int) -> Void) {
        session.listen { [sending] stream in
            if let layer = sending.firstIndex(of: stream) { requestKeyFrame(layer) }
        }
        state.withLock { $0.place = poller.add(self) }
        line.add(self, at: line.transport.remoteAddress ?? output.address)
    }

    /// The participant's address, if it is known.
    public var address: UDPAddress? { line.transport.remoteAddress ?? output.address }

    /// Our layers that the participant is sent, and their streams.
    var sentLayers: [(layer: LayerSettings, stream: SendingStreamID)] {
        zip(ourLayers, sending).compactMap { layer, id in id.map { (layer, $0) } }
    }

    var sendingKey: SRTPKey? { output.key }

    // MARK: Keys

    /// Protects our packets with another key, from the next packet on. The participant must have it by then.
    ///
    /// - Parameter key: the new key.
    /// - Throws: ``CallError/notProtected`` in a call without keys; `indistinguishableKey` if one of the two keys has
    ///   no identifier, or both have the same.
    public func changeSendingKey(to key: SRTPKey) throws {
        guard output.isProtected else { throw CallError.notProtected }
        try output.change(to: key)
    }

    /// Also accepts packets that the participant protects with this key.
    ///
    /// - Parameter key: the additional key.
    /// - Throws: ``CallError/notProtected`` in a call without keys; otherwise as
    ///   ``RillSecurity/SRTPUnprotector/add(_:)``.
    public func addReceivingKey(_ key: SRTPKey) throws {
        guard input.isProtected else { throw CallError.notProtected }
        try input.add(key)
    }

    /// Stops accepting packets under a key; `false` if no key has that identifier, or it is the only one.
    @discardableResult
    public func removeReceivingKey(_ identifier: MasterKeyIdentifier) -> Bool { input.remove(identifier) }

    /// Sets how often the sequence number of one of their sources wrapped before we joined, if signaling knows it.
    public func expect(_ source: SSRC, rolloverCounter: UInt32) {
        input.expect(source, rolloverCounter: rolloverCounter)
    }

    func refuseOwnSources() {
        guard input.isProtected else { return }
        input.refuse(session.look { $0.ownSources })
    }

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
    func insert(at now: MediaTime, _ body: (RTPSession) -> Void) {
        let next = session.change(delivering: output.send) { session in
            body(session)
            return session.nextPoll
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

    // MARK: Statistics

    /// The participant's statistics so far.
    public var statistics: CallStatistics.Participant {
        var statistics = CallStatistics.Participant(
            name: name, address: address?.description, session: session.look { $0.statistics })
        statistics.protected = output.statistics
        statistics.unprotected = input.statistics
        statistics.wanted = wantedLayer
        for (id, layer) in shownLayers {
            let received = session.look { layer.statistics(of: id, in: $0) }
            statistics.shown.append(CallStatistics.Shown(rid: layer.rid, received: received))
        }
        return statistics
    }
}

// MARK: - Sending

extension CallParticipant: LayerOutput {
    package func send(_ frame: EncodedFrame, _ payload: Span<UInt8>, of layer: Int, at now: MediaTime) {
        guard let id = sending[layer] else { return }
        // The participant cannot decode frames before the first key frame.
        let isBegun = state.withLock { state in
            if frame.isKey { state.begun.insert(layer) }
            return !state.isLeaving && !state.hasLeftRemotely && state.begun.contains(layer)
        }
        guard isBegun else { return }
        let now = clock.now
        let next = session.change(delivering: output.send) { session in
            session.send(frame, payload: payload, of: id, at: now)
            return session.nextPoll
        }
        if let place = state.withLock({ $0.place }) { poller.wake(self, at: place, when: next) }
    }

    /// Whether the participant wants a layer of ours.
    func wants(layer: Int) -> Bool {
        guard let id = sending[layer], state.withLock({ !$0.isLeaving && !$0.hasLeftRemotely }) else { return false }
        return session.look { !$0.isPaused(id) }
    }

    /// Whether the participant wants any layer of ours.
    var wantsAny: Bool { sending.indices.contains { wants(layer: $0) } }

    /// Sets whether the participant wants a layer of ours, from the app's own signaling. Use it if they do not ask
    /// for it in RTCP themselves.
    ///
    /// - Parameters:
    ///   - isWanted: whether the layer is sent.
    ///   - layer: one of our layers.
    /// - Throws: ``CallError/noSuchLayer(_:sent:)`` for a layer that they are not sent.
    public func setWantedByPeer(_ isWanted: Bool, _ layer: StreamLayer.RID) throws(CallError) {
        guard let index = ourLayers.firstIndex(where: { $0.rid == layer }), let id = sending[index] else {
            throw .noSuchLayer(layer, sent: sentLayers.map(\.layer.rid))
        }
        session.change(delivering: output.send) { $0.setPaused(!isWanted, of: id, at: clock.now) }
        noteWants()
        wakePoller()
    }

    /// Announces that we pause all streams, or resume them.
    func setMuted(_ isMuted: Bool) {
        let now = clock.now
        session.change(delivering: output.send) { session in
            for id in sending.compactMap(\.self) { session.setMuted(isMuted, of: id, at: now) }
        }
        wakePoller()
    }
}

extension RTPSessionSettings {
    fileprivate init(_ call: VideoCallSettings, _ participant: ParticipantSettings, _ clock: LiveClock) {
        self.init(canonicalName: call.send.canonicalName, seed: .random(in: 0 ... .max))
        usesReducedSizeRTCP = participant.usesReducedSizeRTCP
        wallClockAtZero = .unixEpoch.advanced(byNanoseconds: clock.wallClockAtZero)
        congestion = call.send.congestion
        interruptedAfter = call.interruptedAfter
        lostAfter = call.lostAfter
    }
}
