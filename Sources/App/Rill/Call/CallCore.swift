import RillBeauty
import RillCapture
import RillCodec
import RillCore
import RillSession
import RillThreads
import RillTransport

/// The core of a ``VideoCall``. The call's threads hold this object and not the call, so a call that is released
/// ends.
final class CallCore: SendingBudget, Sendable {
    let clock: LiveClock
    /// `nil` in a call that only receives.
    let pipeline: SendPipeline?
    private let settings: VideoCallSettings
    let sender: LiveEncoders?
    private let switcher: SourceSwitcher?
    private let pollers: [CallPoller]
    let events: AsyncStream<CallEvent>
    private let report: AsyncStream<CallEvent>.Continuation
    private let state: Monitor<State>
    private let reductions = Monitor(LayerReductions())
    /// Held while layers are switched on and off, so that the last request is applied last.
    private let activity = Monitor(())

    private struct State: ~Copyable {
        var lines: [CallLine] = []
        var participants: [CallParticipant] = []
        var nextID = 0
        var isMuted = false
        /// Layers that the app switched off.
        var inactive: Set<StreamLayer.RID> = []
        var isEnding = false
        var isOver = false
        /// The statistics at the end of the call.
        var lastStatistics: CallStatistics?
        var waiters: [CheckedContinuation<Void, Never>] = []
        var senderTask: Task<Void, Never>?
    }

    init(
        _ settings: VideoCallSettings, source: sending (any FrameSource)?, taps: sending SendTaps,
        through given: SendPipeline? = nil, clock: LiveClock
    ) throws(PipelineError) {
        precondition((1...1024).contains(settings.decodingThreadCount), "a call has 1 to 1024 decoding threads")
        var settings = settings
        settings.send.addTransportNumbers()
        let (events, report) = AsyncStream.makeStream(of: CallEvent.self, bufferingPolicy: .bufferingNewest(1024))
        (self.settings, self.clock, self.events, self.report) = (settings, clock, events, report)
        let affinity = settings.placement.affinity(isLargestEncoder: false)
        if let source {
            let pipeline: SendPipeline
            if let given { pipeline = given } else { pipeline = try SendPipeline(settings.send, taps: taps) }
            pipeline.observeFaces { event in
                switch event {
                case .found(let faces): report.yield(.facesChanged(faces))
                case .unavailable(let reason): report.yield(.facesUnavailable(reason))
                }
            }
            self.pipeline = pipeline
            // There is no participant yet, so no layer is wanted.
            for layer in pipeline.layers { pipeline.setActive(false, layer.settings.rid) }
            do throws(ThreadError) {
                if given == nil {
                    let switcher = SourceSwitcher(source) { event in
                        switch event {
                        case .ended: report.yield(.sourceEnded)
                        case .failed(_, let error): report.yield(.sourceFailed(error))
                        }
                    }
                    self.switcher = switcher
                    sender = try LiveEncoders(
                        pipeline, source: switcher.source, clock: clock, placement: settings.placement)
                } else {
                    switcher = nil
                    sender = try LiveEncoders(pipeline, source: source, clock: clock, placement: settings.placement)
                }
            } catch {
                throw .thread(error)
            }
        } else {
            (switcher, pipeline, sender) = (nil, nil, nil)
        }
        var pollers: [CallPoller] = []
        do throws(ThreadError) {
            // With those of the network, and of the tasks and their timers, which are waited for without a word.
            try NamedThread.require(settings.decodingThreadCount + 4, "rill-decode")
            for index in 0..<settings.decodingThreadCount {
                pollers.append(try CallPoller("rill-decode-\(index)", clock: clock, affinity: affinity))
            }
        } catch {
            for poller in pollers { poller.stop() }
            // Its own error would follow from this one.
            try? sender?.stop()
            throw .thread(error)
        }
        self.pollers = pollers
        state = Monitor(State())
        if settings.send.congestion != nil { pipeline?.follow(self) }
        watch()
    }

    /// Reports events without a call from outside.
    private func watch() {
        if let sender {
            let task = Task { [report] in
                do { try await sender.finished() } catch { report.yield(.sendingFailed(error)) }
            }
            state.withLock { $0.senderTask = task }
        }
        if let interval = settings.statisticsInterval {
            pollers[0].perform(every: interval) { [weak self] in
                guard let self else { return }
                report.yield(.statistics(statistics))
            }
        }
    }

    // MARK: Congestion

    /// What the slowest network carries of those who get the largest layer that is sent. A participant whose network
    /// carries it not at all gets smaller layers only.
    func allowance(at now: MediaTime) -> SendingAllowance? {
        guard let pipeline else { return nil }
        var measured: [(participant: CallParticipant, wanted: LayerSet, allowance: SendingAllowance)] = []
        for participant in participants {
            let wanted = participant.wanted
            guard !wanted.isEmpty, let allowance = participant.session.look({ $0.allowance(at: now) }) else { continue }
            measured.append((participant, wanted, allowance))
        }
        let layers = pipeline.layers.map { BitrateAllocator.Layer($0.settings) }
        let (changes, reduced) = reductions.withLock { reductions in
            var changes: [LayerReductions.Change] = []
            let members = measured.map {
                LayerReductions.Member(id: $0.participant.id, wanted: $0.wanted, bitrate: $0.allowance.frameBitrate)
            }
            reductions.update(members, layers: layers, at: now) { changes.append($0) }
            return (changes, measured.map { reductions.isReduced($0.participant.id) })
        }
        for change in changes { apply(change, to: measured.map(\.participant), at: now) }
        let deciding = zip(measured, reduced).filter { !$1 }.map(\.0)
        // Who wants thumbnails only does not decide for the others.
        let largest = layers.indices.filter { layer in deciding.contains { $0.wanted.contains(layer: layer) } }
            .max { (layers[$0].minimum, $1) < (layers[$1].minimum, $0) }
        return deciding.filter { member in largest.map { member.wanted.contains(layer: $0) } ?? true }
            .map(\.allowance).reduce(nil) { $0?.least($1) ?? $1 }
    }

    private func apply(_ change: LayerReductions.Change, to participants: [CallParticipant], at now: MediaTime) {
        switch change {
        case .limited(let id, let layers):
            guard let participant = participants.first(where: { $0.id == id }) else { return }
            participant.limit(to: layers)
            report.yield(layers == .all ? .restored(participant) : .reduced(participant))
        case .probe(let id, let bitrate):
            participants.first { $0.id == id }?.probe(bitrate, at: now)
        }
    }

    // MARK: Participants

    func add(
        _ participant: ParticipantSettings, over transport: any DatagramTransport,
        _ prepare: (CallParticipant) throws -> Void
    ) throws -> CallParticipant {
        let (sending, receiving) = (participant.sendingKey != nil, participant.receivingKey != nil)
        guard sending == receiving else { throw CallError.halfProtected(sending: sending, receiving: receiving) }
        if let address = participant.address, transport.receives(at: address) { throw CallError.ownAddress(address) }
        let line = try line(of: transport)
        if let address = participant.address, line.isTaken(address) { throw CallError.addressInUse(address) }
        let id = state.withLock { state in
            defer { state.nextID += 1 }
            return state.nextID
        }
        let poller = pollers.min { $0.count < $1.count } ?? pollers[0]
        let made = try CallParticipant(
            participant, id: id, over: line, poller, settings, pipeline?.layers.map(\.settings) ?? [], clock: clock
        ) { [weak self] in
            // Events that nobody reads hold participants. An event that held its stream would keep both alive
            // forever.
            self?.report.yield($0)
        } forget: { [weak self] in
            self?.forget($0)
        } noteWants: { [weak self] in
            self?.applyActivity()
        }
        try prepare(made)
        let isMuted = try state.withLock { (state) throws(CallError) in
            guard !state.isEnding else { throw .isOver }
            state.participants.append(made)
            return state.isMuted
        }
        pipeline?.add(made)
        do throws(ThreadError) {
            try made.begin(isShared: { [weak self] in self?.isShared ?? false }) { [weak self] layer in
                // This request may wake the layer.
                self?.applyActivity()
                self?.pipeline?.requestKeyFrame(layer: layer)
            }
        } catch {
            forget(made)
            throw PipelineError.thread(error)
        }
        if isMuted { made.setMuted(true) }
        applyActivity()
        for layer in pipeline?.layers.indices ?? 0..<0 where made.wants(layer: layer) {
            pipeline?.requestKeyFrame(layer: layer)
        }
        return made
    }

    /// Returns the line over a transport, and creates it if needed. The line reads the transport from then on.
    private func line(of transport: any DatagramTransport) throws(CallError) -> CallLine {
        try state.withLock { (state) throws(CallError) in
            guard !state.isEnding else { throw .isOver }
            if let line = state.lines.first(where: { $0.transport === transport }) { return line }
            let line = CallLine(
                transport, datagramByteCount: settings.send.maximumPacketSize + 64, clock: clock,
                affinity: settings.placement.affinity(isLargestEncoder: false)
            ) { [weak self] in self?.report.yield(.transportFailed($0)) }
            state.lines.append(line)
            return line
        }
    }

    // A new list each time: the thread sanitizer does not see the end of a shared one.
    var participants: [CallParticipant] { state.withLock { $0.participants.filter { !$0.hasLeft } } }

    /// Whether several participants get the same frames.
    private var isShared: Bool { state.withLock { $0.participants.count > 1 } }

    private func forget(_ participant: CallParticipant) {
        pipeline?.remove(participant)
        state.withLock { state in state.participants.removeAll { $0 === participant } }
        applyActivity()
    }

    // MARK: Sending

    var isMuted: Bool { state.withLock { $0.isMuted } }

    func setMuted(_ isMuted: Bool) {
        let isChange = state.withLock { state in
            defer { state.isMuted = isMuted }
            return state.isMuted != isMuted
        }
        guard isChange else { return }
        // On muting, the last packets go first, then the PAUSED message; on unmuting, the other way round.
        if isMuted { applyActivity() }
        for participant in participants { participant.setMuted(isMuted) }
        if !isMuted { applyActivity() }
    }

    func setActive(_ isActive: Bool, _ layer: StreamLayer.RID) {
        state.withLock { state in
            if isActive { state.inactive.remove(layer) } else { state.inactive.insert(layer) }
        }
        applyActivity()
    }

    /// Switches on the encoders of layers that a participant wants, and the others off.
    private func applyActivity() {
        guard let pipeline else { return }
        activity.withLock { _ in
            let (isMuted, inactive, others) = state.withLock { state in
                (state.isMuted, state.inactive, state.participants.map(\.self))
            }
            for (index, layer) in pipeline.layers.enumerated() {
                let rid = layer.settings.rid
                let isWanted = !isMuted && !inactive.contains(rid) && others.contains { $0.wants(layer: index) }
                pipeline.setActive(isWanted, rid)
            }
        }
    }

    func change(_ layer: StreamLayer.RID, _ body: (inout LayerSettings) -> Void) throws(CodecError) {
        guard let pipeline else { return }
        try pipeline.change(layer, body)
        var send = settings.send
        send.setBounds(for: pipeline.layers.map(\.settings))
        guard let bounds = send.congestion?.bitrates else { return }
        for participant in participants { participant.session.look { $0.setBitrates(bounds, at: clock.now) } }
    }

    func setSource(_ source: sending any FrameSource) { switcher?.change(to: source) }

    // MARK: Statistics and end

    var statistics: CallStatistics {
        // In one step: statistics that are read while the call ends have participants too.
        let (last, participants, transports) = state.withLock { state in
            (state.lastStatistics, state.participants.map(\.self), state.lines.map(\.transport))
        }
        if let last { return last }
        var statistics = CallStatistics(time: clock.now)
        for (index, layer) in (pipeline?.statistics ?? []).enumerated() {
            statistics.layers.append(
                CallStatistics.Layer(
                    rid: layer.rid, encoder: layer.encoder, framesReplaced: sender?.framesDropped[index] ?? 0,
                    framesUnchanged: layer.framesUnchanged, resolution: layer.resolution,
                    qualityLimitationReason: layer.qualityLimitationReason,
                    qualityLimitationResolutionChanges: layer.qualityLimitationResolutionChanges,
                    qualityLimitationDurations: layer.qualityLimitationDurations, targetBitrate: layer.targetBitrate,
                    framesSkipped: layer.framesSkipped))
        }
        statistics.participants = participants.map(\.statistics)
        statistics.transports = transports.map(\.statistics)
        statistics.sealed = settings.encryption?.sealStatistics
        statistics.opened = settings.encryption?.openStatistics
        return statistics
    }

    /// Ends the call on its own thread, and waits for that without blocking a thread.
    func end(reason: String?) async {
        await withCheckedContinuation { continuation in
            let isOver = state.withLock { state in
                if !state.isOver { state.waiters.append(continuation) }
                return state.isOver
            }
            if isOver { continuation.resume() } else { endLater(reason: reason) }
        }
    }

    func endLater(reason: String? = nil) {
        guard beginEnd() else { return }
        do throws(ThreadError) { _ = try NamedThread("rill-end") { self.finish(reason) } } catch {
            // A thread of the shared pool waits for the end of ours.
            Task.detached { self.finish(reason) }
        }
    }

    /// Ends the call on this thread.
    func endNow() { if beginEnd() { finish(nil) } }

    /// Whether this is the first request to end the call.
    private func beginEnd() -> Bool {
        state.withLock { state in
            defer { state.isEnding = true }
            return !state.isEnding
        }
    }

    private func finish(_ reason: String?) {
        // Packets in flight are sent before the participants learn that nothing follows. Errors were already reported
        // as events.
        try? sender?.stop()
        let (lines, participants, senderTask) = state.withLock { ($0.lines, $0.participants, $0.senderTask) }
        let last = statistics
        state.withLock { $0.lastStatistics = last }
        for participant in participants { participant.leave(reason: reason) }
        for poller in pollers { poller.stop() }
        for line in lines { line.close() }
        senderTask?.cancel()
        let waiters = state.withLock { state in
            state.isOver = true
            (state.lines, state.participants, state.senderTask) = ([], [], nil)
            return state.waiters
        }
        report.yield(.over)
        report.finish()
        for waiter in waiters { waiter.resume() }
    }
}
