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
///     try bob.show(.high, on: screen)                               // a sink, called by a decoding thread
///     for await picture in try bob.pictures(of: .low) { … }         // or a sequence
///
/// A layer that is not shown costs nothing but its packets: it is not decoded, and nothing is asked for. Events of theirs come with
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
    private let output: CallOutput
    private let line: CallLine
    private let poller: CallPoller
    private let streams: [StreamDescription]
    /// A stream for each of our layers; `nil` for those that they are not sent.
    private let sending: [SendingStreamID?]
    private let ourLayers: [LayerSettings]
    private let settings: VideoCallSettings
    private let clock: LiveClock
    private let emit: @Sendable (CallEvent) -> Void
    /// Is told when we have left them.
    private let forget: @Sendable (CallParticipant) -> Void
    private let state: Monitor<State>

    private struct State: ~Copyable {
        var place: Int?
        /// What is shown.
        var shown: [ReceivingStreamID: ShownLayer] = [:]
        var isLeaving = false
        /// Layers whose first frame, a key frame, has been sent.
        var begun: Set<Int> = []
    }

    init(
        _ participant: ParticipantSettings, id: Int, over line: CallLine, _ poller: CallPoller,
        _ settings: VideoCallSettings, _ layers: [LayerSettings], clock: LiveClock,
        emit: @escaping @Sendable (CallEvent) -> Void, forget: @escaping @Sendable (CallParticipant) -> Void
    ) throws {
        self.forget = forget
        (self.id, self.line, self.poller, self.settings, self.clock, self.emit) = (
            id, line, poller, settings, clock, emit
        )
        name = participant.name
        ourLayers = layers
        streams = participant.streams ?? settings.streams()
        session = SharedSession(RTPSessionSettings(settings, participant, clock))
        input = try CallInput(participant.receivingKey)
        output = try CallOutput(participant.sendingKey, to: participant.address, over: line)
        // Not from a seed: a key must never meet the same source and number for the second time.
        var random = SystemRandomNumberGenerator()
        sending = try layers.map { [session] layer -> SendingStreamID? in
            guard participant.layers?.contains(layer.rid) ?? true else { return nil }
            var stream = settings.send.stream(of: layer, using: &random)
            stream.rid = StreamIdentifier(layer.rid.description)
            return try LayerStream(stream, on: session).id
        }
        state = Monitor(State())
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

    // MARK: What they send

    /// The layers that they send, as their description says.
    public var layers: [StreamLayer.RID] { streams.indices.map(rid) }

    /// A stream without a name is told apart by its place: the first is the high one.
    private func rid(_ index: Int) -> StreamLayer.RID {
        if let name = streams[index].rid.flatMap({ StreamLayer.RID(validating: $0) }) { return name }
        let names: [StreamLayer.RID] = [.high, .low, .medium]
        return index < names.count ? names[index] : StreamLayer.RID(validating: "s\(index)") ?? .high
    }

    /// Shows a layer from its next key frame on, which is asked for.
    ///
    /// - Parameters:
    ///   - sink: gets the pictures; it belongs to the decoding thread from now on. It is finished when the layer is no longer shown.
    ///   - adjust: changes how the layer is received: `{ $0.pictureCapacity = 12 }`.
    /// - Throws: ``PipelineError``, or ``CallError/noSuchLayer(_:sent:)``, ``CallError/layerIsShown(_:)``, ``CallError/isOver``.
    public func show(
        _ layer: StreamLayer.RID, on sink: sending any FrameSink, _ adjust: (inout ReceiveSettings) -> Void = { _ in }
    ) throws {
        guard let index = streams.indices.first(where: { rid($0) == layer }) else {
            throw CallError.noSuchLayer(layer, sent: layers)
        }
        var receive: ReceiveSettings
        do throws(StreamDescriptionError) { receive = try ReceiveSettings(streams[index], ssrc: SSRC(0)) } catch {
            throw CallError.invalidDescription(error)
        }
        adjust(&receive)
        let decoder: StreamDecoder
        do throws(CodecError) { decoder = try StreamDecoder(receive, sink: sink) } catch {
            throw PipelineError.codec(error)
        }
        // Handed over, and not used here any more.
        nonisolated(unsafe) let made = decoder
        let shown = ShownLayer(layer, unsafe made)
        try state.withLock { (state) throws in
            guard !state.isLeaving else { throw CallError.isOver }
            guard !state.shown.values.contains(where: { $0.rid == layer }) else { throw CallError.layerIsShown(layer) }
            let now = clock.now
            let id = try session.look { try $0.receive(receive.stream, at: now) }
            state.shown[id] = shown
        }
        wakePoller()
    }

    /// Shows a layer as a sequence. Of pictures that nobody has taken yet only the newest is kept. It ends when the layer is no
    /// longer shown.
    ///
    /// - Throws: as ``show(_:on:_:)``.
    public func pictures(of layer: StreamLayer.RID = .high) throws -> AsyncStream<VideoFrame> {
        let (stream, continuation) = AsyncStream.makeStream(of: VideoFrame.self, bufferingPolicy: .bufferingNewest(1))
        try show(layer, on: AwaitedPictures(continuation))
        return stream
    }

    /// Shows a layer no longer. Its sink is finished, soon, by the decoding thread.
    public func hide(_ layer: StreamLayer.RID) {
        state.withLock { state in
            guard let (id, shown) = state.shown.first(where: { $0.value.rid == layer }) else { return }
            session.look { _ = $0.remove(id) }
            shown.isOver.store(true, ordering: .relaxed)
        }
        wakePoller()
    }

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

    private func refuseOwnSources() {
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
        session.change(handing: output.sendFarewell) { $0.leave(reason: reason, at: clock.now) }
        line.remove(self)
        forget(self)
        wakePoller()
    }

    /// Whether we have left them.
    public var hasLeft: Bool { state.withLock { $0.isLeaving } }

    // MARK: Datagrams

    /// Gives the session what has come.
    func insert(at now: MediaTime, _ body: (RTPSession) -> Void) {
        let next = session.change(handing: output.send) { session in
            body(session)
            return session.nextPoll
        }
        if let place = state.withLock({ $0.place }) { poller.wake(self, at: place, when: next) }
    }

    func move(from old: UDPAddress?, to address: UDPAddress) {
        output.move(to: address)
        emit(.moved(self, from: old, to: address))
    }

    private func wakePoller() {
        if let place = state.withLock({ $0.place }) { poller.wake(self, at: place, when: MediaTime(nanoseconds: .min)) }
    }

    // MARK: Statistics

    /// What we have been through together so far.
    public var statistics: CallStatistics.Participant {
        let shown = state.withLock { $0.shown.map { ($0.key, $0.value) } }
        var statistics = CallStatistics.Participant(
            name: name, address: address?.description, session: session.look { $0.statistics })
        statistics.protected = output.statistics
        statistics.unprotected = input.statistics
        for (id, layer) in shown.sorted(by: { $0.0.number < $1.0.number }) {
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
            return !state.isLeaving && state.begun.contains(layer)
        }
        guard isBegun else { return }
        let now = clock.now
        let next = session.change(handing: output.send) { session in
            session.send(frame, payload: payload, of: id, at: now)
            return session.nextPoll
        }
        if let place = state.withLock({ $0.place }) { poller.wake(self, at: place, when: next) }
    }

    /// Says that we send no pictures for a while, or do again.
    func setMuted(_ isMuted: Bool) {
        let now = clock.now
        session.change(handing: output.send) { session in
            for id in sending.compactMap(\.self) { session.setMuted(isMuted, of: id, at: now) }
        }
        wakePoller()
    }
}

// MARK: - What is done when it is due

extension CallParticipant {
    /// Does what is due, up to one frame; when to come again. `nil`: they are left, and their sinks finished.
    func serve(at now: MediaTime, into bytes: inout [UInt8]) -> MediaTime? {
        finishHidden()
        if let (outcome, count) = input.takeUnreadable() { emit(.unreadable(self, outcome, count: count)) }
        switch session.poll(at: now, into: &bytes, handing: output.send, tell) {
        case .decode(let frame, let id):
            if let layer = state.withLock({ $0.shown[id] }) { show(frame, of: id, bytes.span, on: layer) }
            return MediaTime(nanoseconds: .min)
        case .wait(let time): return hasLeft ? nil : time
        }
    }

    private func show(_ frame: ReceivedFrame, of id: ReceivingStreamID, _ bytes: Span<UInt8>, on layer: ShownLayer) {
        layer.use { decoder in
            let outcome = decoder.decode(frame, bytes)
            let decoded = clock.now
            // Before it is shown: the next frame may be due by then.
            session.look {
                $0.finish(frame, of: id, outcome.ofFrame, picture: outcome.resolution, decoded: decoded, at: decoded)
            }
            guard case .picture(let picture) = outcome else { return }
            do { try decoder.show(picture, decoded: decoded, at: clock.now) } catch {
                emit(.sinkFailed(self, layer.rid, error))
                hide(layer.rid)
            }
        }
    }

    /// Finishes the sinks of layers that are not shown any more; of all, when they are left.
    private func finishHidden() {
        let hidden = state.withLock { state in
            let hidden = state.shown.filter { state.isLeaving || $0.value.isOver.load(ordering: .relaxed) }
            for id in hidden.keys { state.shown[id] = nil }
            return hidden
        }
        for layer in hidden.values {
            if let error = layer.finish() { emit(.sinkFailed(self, layer.rid, error)) }
        }
    }

    private func tell(_ event: SessionEvent) {
        func layer(_ id: ReceivingStreamID) -> ShownLayer? { state.withLock { $0.shown[id] } }
        switch event {
        case .connected, .restarted: emit(.joined(self))
        case .interrupted: emit(.interrupted(self))
        case .lost: emit(.lost(self))
        case .back(let silence): emit(.back(self, after: silence))
        case .left(let reason): emit(.left(self, reason: reason))
        case .firstPicture(let id, let size, let delay):
            if let layer = layer(id) { emit(.firstPicture(self, layer.rid, size, after: delay)) }
        case .sizeChanged(let id, let size): if let layer = layer(id) { emit(.sizeChanged(self, layer.rid, size)) }
        case .muted(let id):
            guard let layer = layer(id) else { return }
            layer.use { $0.interrupt() }
            emit(.muted(self, layer.rid))
        case .unmuted(let id):
            guard let layer = layer(id) else { return }
            layer.use { $0.interrupt() }
            emit(.unmuted(self, layer.rid))
        case .ended(let id): if let layer = layer(id) { emit(.ended(self, layer.rid)) }
        // Another source of ours: where one key serves both directions nothing is taken from it either.
        case .collision: refuseOwnSources()
        case .layerChanged, .sourceChanged, .packetsRequested, .keyFrameRequested, .feedback, .maximumBitrateEstimated,
            .transportFeedback:
            break
        }
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
