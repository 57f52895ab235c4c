public import RillCore
public import RillRTP
import RillReceive
public import RillSecurity
import RillSend
import RillSession
import RillThreads
import Synchronization

/// One of the others in a ``VideoCall``: what they send, and what of it is shown.
///
///     let bob = try call.connect(to: address, over: socket, key: key)
///     try bob.show(on: screen)                                      // a sink, called by a decoding thread
///     for await picture in try bob.pictures() { … }                 // or a sequence
///     try bob.want(.low)                                            // the layer that they are shown by
///
/// Who does not care for layers shows them as one sequence of pictures, and says which layer it is to come by (``want(_:)``). Who wants
/// several at once shows them one by one (``show(_:on:_:)``). A layer that is not shown is not decoded, and they are asked to send
/// nothing of it (PAUSE, RFC 7728), where their description says that they follow that; a Rill does. Events of theirs come with
/// ``VideoCall/events``.
///
/// Threads: all methods may be called from any thread, and by sinks. Sinks are called on `rill-decode-…` with no lock held, one
/// picture at a time.
public final class CallParticipant: Sendable, Identifiable {
    /// What events and logs call them.
    public let name: String
    /// The call's own number for them: no other participant of the call ever bears it.
    public let id: Int

    let session: SharedSession
    let input: CallInput
    let output: CallOutput
    private let line: CallLine
    private let poller: CallPoller
    let streams: [StreamDescription]
    /// A stream for each of our layers; `nil` for those that they are not sent.
    private let sending: [SendingStreamID?]
    private let ourLayers: [LayerSettings]
    let clock: LiveClock
    let emit: @Sendable (CallEvent) -> Void
    /// Is told when we have left them.
    private let forget: @Sendable (CallParticipant) -> Void
    /// Is told when they want other layers of ours than before.
    let noteWants: @Sendable () -> Void
    let state: Monitor<State>

    struct State: ~Copyable {
        var place: Int?
        /// The streams of their layers, in the order of those; `nil` for what cannot be received.
        var receiving: [ReceivingStreamID?] = []
        /// Layers that are shown one by one.
        var shown: [Int: ShownLayer] = [:]
        /// What they are shown as in one sequence.
        var view: ParticipantView?
        /// Which layer that is to come by, and which it does.
        var choice: LayerChoice
        var selector = LayerSelector()
        /// What is hidden, and still to be finished.
        var hidden: [ShownLayer] = []
        var hiddenViews: [ParticipantView] = []
        /// They have said that they leave.
        var areGone = false
        var isLeaving = false
        /// Layers whose first frame, a key frame, has been sent.
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
        ourLayers = layers
        streams = participant.streams ?? settings.streams()
        session = SharedSession(RTPSessionSettings(settings, participant, clock))
        input = try CallInput(participant.receivingKey, isAddressKnown: participant.address != nil)
        output = try CallOutput(participant.sendingKey, to: participant.address, over: line)
        // Not from a seed: a key must never meet the same source and number for the second time.
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

    /// Begins: from now on they are sent to, and served.
    func begin(_ requestKeyFrame: @escaping @Sendable (Int) -> Void) {
        session.listen { [sending] stream in
            if let layer = sending.firstIndex(of: stream) { requestKeyFrame(layer) }
        }
        state.withLock { $0.place = poller.add(self) }
        line.add(self, at: line.transport.remoteAddress ?? output.address)
    }

    /// Where they are, as far as that is known.
    public var address: UDPAddress? { line.transport.remoteAddress ?? output.address }

    /// Our layers that they are sent, and the streams that carry them.
    var sentLayers: [(layer: LayerSettings, stream: SendingStreamID)] {
        zip(ourLayers, sending).compactMap { layer, id in id.map { (layer, $0) } }
    }

    var sendingKey: SRTPKey? { output.key }

    // MARK: Keys

    /// Protects what we send with another key from the next packet on. They must have it by then.
    ///
    /// - Throws: ``CallError/notProtected`` in a call without keys; `indistinguishableKey` where one of the two keys has no identifier,
    ///   or both have the same.
    public func changeSendingKey(to key: SRTPKey) throws {
        guard output.isProtected else { throw CallError.notProtected }
        try output.change(to: key)
    }

    /// Takes what they protect with one more key.
    ///
    /// - Throws: ``CallError/notProtected`` in a call without keys; else as ``RillSecurity/SRTPUnprotector/add(_:)``.
    public func addReceivingKey(_ key: SRTPKey) throws {
        guard input.isProtected else { throw CallError.notProtected }
        try input.add(key)
    }

    /// Takes no more of what they protect with a key; `false` where there is none of that identifier, or no other key.
    @discardableResult
    public func removeReceivingKey(_ identifier: MasterKeyIdentifier) -> Bool { input.remove(identifier) }

    /// Tells how often the numbers of a source of theirs have wrapped before we came, where signalling knows it.
    public func expect(_ source: SSRC, rolloverCounter: UInt32) {
        input.expect(source, rolloverCounter: rolloverCounter)
    }

    func refuseOwnSources() {
        guard input.isProtected else { return }
        input.refuse(session.look { $0.ownSources })
    }

    // MARK: Leaving

    /// Leaves them: they are told, and why. Nothing of theirs is shown after the picture in work; sinks are finished by the decoding
    /// thread.
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

    /// Whether we have left them.
    public var hasLeft: Bool { state.withLock { $0.isLeaving } }

    // MARK: Datagrams

    /// Gives the session what has come.
    func insert(at now: MediaTime, _ body: (RTPSession) -> Void) {
        let next = session.change(delivering: output.send) { session in
            body(session)
            return session.nextPoll
        }
        if let place = state.withLock({ $0.place }) { poller.wake(self, at: place, when: next) }
    }

    func move(from old: UDPAddress?, to address: UDPAddress) {
        output.move(to: address)
        emit(.moved(self, from: old, to: address))
    }

    func wakePoller() {
        if let place = state.withLock({ $0.place }) { poller.wake(self, at: place, when: MediaTime(nanoseconds: .min)) }
    }

    // MARK: Statistics

    /// What we have been through together so far.
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

// MARK: - What we send them

extension CallParticipant: LayerOutput {
    package func send(_ frame: EncodedFrame, _ payload: Span<UInt8>, of layer: Int, at now: MediaTime) {
        guard let id = sending[layer] else { return }
        // Frames before the first key frame are of no use to them.
        let isBegun = state.withLock { state in
            if frame.isKey { state.begun.insert(layer) }
            return !state.isLeaving && !state.areGone && state.begun.contains(layer)
        }
        guard isBegun else { return }
        let now = clock.now
        let next = session.change(delivering: output.send) { session in
            session.send(frame, payload: payload, of: id, at: now)
            return session.nextPoll
        }
        if let place = state.withLock({ $0.place }) { poller.wake(self, at: place, when: next) }
    }

    /// Whether they want a layer of ours.
    func wants(layer: Int) -> Bool {
        guard let id = sending[layer], state.withLock({ !$0.isLeaving && !$0.areGone }) else { return false }
        return session.look { !$0.isPaused(id) }
    }

    /// They want a layer of ours, or not, as the app's own signalling says: where they do not ask for it in RTCP themselves.
    ///
    /// - Throws: ``CallError/noSuchLayer(_:sent:)`` for a layer that they are not sent.
    public func setWantedByPeer(_ isWanted: Bool, _ layer: StreamLayer.RID) throws(CallError) {
        guard let index = ourLayers.firstIndex(where: { $0.rid == layer }), let id = sending[index] else {
            throw .noSuchLayer(layer, sent: sentLayers.map(\.layer.rid))
        }
        session.change(delivering: output.send) { $0.setPaused(!isWanted, of: id, at: clock.now) }
        noteWants()
        wakePoller()
    }

    /// Says that we send no pictures for a while, or do again.
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
        interruptedAfter = call.interruptedAfter
        lostAfter = call.lostAfter
    }
}
