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
        var tasks: [Task<Void, Never>] = []
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

    /// Starts the tasks that report events without a call from outside.
    private func watch() {
        var tasks: [Task<Void, Never>] = []
        if let sender {
            let report = report
            tasks.append(
                Task {
                    do { try await sender.finished() } catch { report.yield(.sendingFailed(error)) }
                })
        }
        if let interval = settings.statisticsInterval {
            tasks.append(
                Task { [weak self] in
                    while !Task.isCancelled {
                        do { try await Task.sleep(for: .nanoseconds(interval.nanoseconds)) } catch { return }
                        guard let self else { return }
                        report.yield(.statistics(statistics))
                    }
                })
        }
        state.withLock { $0.tasks = tasks }
    }

    // MARK: Congestion

    /// What the slowest network of those who want anything carries.
    func allowance(at now: MediaTime) -> SendingAllowance? {
        var least: SendingAllowance?
        for participant in participants where participant.wantsAny {
            guard let allowance = participant.session.look({ $0.allowance(at: now) }) else { continue }
            guard let known = least else {
                least = allowance
                continue
            }
            least = SendingAllowance(
                bitrate: min(known.bitrate, allowance.bitrate),
                frameBitrate: min(known.frameBitrate, allowance.frameBitrate),
                nextFrameBitrate: min(known.nextFrameBitrate, allowance.nextFrameBitrate),
                obstacle: known.obstacle ?? allowance.obstacle)
        }
        return least
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
            try made.begin { [weak self] layer in
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
        let (lines, participants, tasks) = state.withLock { ($0.lines, $0.participants, $0.tasks) }
        let last = statistics
        state.withLock { $0.lastStatistics = last }
        for participant in participants { participant.leave(reason: reason) }
        for poller in pollers { poller.stop() }
        for line in lines { line.close() }
        for task in tasks { task.cancel() }
        let waiters = state.withLock { state in
            state.isOver = true
            (state.lines, state.participants, state.tasks) = ([], [], [])
            return state.waiters
        }
        report.yield(.over)
        report.finish()
        for waiter in waiters { waiter.resume() }
    }
}
