import RillCore
import RillReceive
import RillSession

// One sequence out of several layers: which layers must be received, and which pictures are shown.

extension CallParticipant {
    // MARK: Wanted layers

    /// Requests the layers that are needed, and pauses the others.
    func applyNeeds(_ state: inout State, at now: MediaTime) {
        for (layer, id) in state.receiving.enumerated() {
            let isNeeded =
                state.shown[layer] != nil
                || (state.view != nil && (state.selector.needs(layer) || state.choice.awaited == layer))
            if let id { session.look { $0.setWanted(isNeeded, of: id, at: now) } }
        }
    }

    /// Applies the choice of a layer; returns the event to report, if any.
    func applyChoice(_ state: inout State, at now: MediaTime) -> CallEvent? {
        guard state.choice.chosen != state.selector.wanted else { return nil }
        state.selector.want(state.choice.chosen)
        applyNeeds(&state, at: now)
        return .wanted(self, state.choice.chosen.map(streams.layerName))
    }

    /// Updates the choice of a layer for the passage of time; returns when to call it again.
    func updateChoice(at now: MediaTime) -> MediaTime {
        let (events, next) = state.withLock { (state) -> ([CallEvent], MediaTime) in
            guard state.view != nil else { return ([], .distantFuture) }
            guard state.choice.deadline <= now else { return ([], state.choice.deadline) }
            let receiving = state.receiving
            let change = state.choice.update(at: now) { layer in
                receiving[layer].flatMap { id in session.look { $0.isMuted(id) ? nil : $0.statistics(of: id) } }
            }
            let told: CallEvent? =
                switch change {
                case .fellBack(let from, let to, let reason):
                    .fellBack(
                        self, from: streams.layerName(from), to: streams.layerName(to), because: reason)
                case .recovered(let layer): .recovered(self, to: streams.layerName(layer))
                case nil: nil
                }
            let wanted = applyChoice(&state, at: now)
            return ([told, wanted].compactMap(\.self), state.choice.deadline)
        }
        for event in events { emit(event) }
        return next
    }

    /// The layer that the sequence shows, or is about to.
    var wantedLayer: StreamLayer.RID? {
        state.withLock { state in state.view == nil ? nil : state.selector.wanted.map(streams.layerName) }
    }

    /// The shown layers and their streams.
    var shownLayers: [(id: ReceivingStreamID, layer: ShownLayer)] {
        state.withLock { state in
            state.receiving.enumerated().compactMap { layer, id in
                guard let id, let shown = state.shown[layer] ?? state.view?.layer(layer) else { return nil }
                return (id, shown)
            }
        }
    }

    /// The layer that a stream carries, if it is shown or about to be.
    func shownLayer(_ id: ReceivingStreamID) -> ShownLayer? {
        state.withLock { state in
            guard let layer = state.receiving.firstIndex(of: id) else { return nil }
            return state.shown[layer] ?? (state.selector.needs(layer) ? state.view?.layer(layer) : nil)
        }
    }

    // MARK: Pictures

    /// Decodes a frame, and shows its picture if it is to be seen.
    func show(_ frame: ReceivedFrame, of id: ReceivingStreamID, _ bytes: Span<UInt8>) {
        let (layer, own, view) = state.withLock { state in
            let layer = state.receiving.firstIndex(of: id)
            return (layer, layer.flatMap { state.shown[$0] }, state.view)
        }
        guard let layer, let shown = own ?? view?.layer(layer) else {
            let now = clock.now
            return session.look { $0.finish(frame, of: id, .skipped, decoded: now, at: now) }
        }
        shown.observer?(.released(frame), frame.frame.timestamps[.released] ?? clock.now)
        shown.use { decoder in
            let outcome = decoder.decode(frame, bytes)
            switch decoder.takeOpeningChange() {
            case .opened: emit(.opened(self, shown.rid))
            case let reason?: emit(.unopened(self, shown.rid, reason))
            case nil: break
            }
            let decoded = clock.now
            // Before showing it: the next frame may be due by then.
            session.look {
                $0.finish(frame, of: id, outcome.ofFrame, picture: outcome.resolution, decoded: decoded, at: decoded)
            }
            guard case .picture(var picture) = outcome else { return }
            if own == nil {
                guard let time = admit(picture, frame, of: layer, id) else { return }
                picture.captureTime = time
            }
            do { try decoder.show(picture, decoded: decoded, at: clock.now) } catch {
                emit(.sinkFailed(self, shown.rid, error))
                if own == nil { hide() } else { hide(shown.rid) }
            }
        }
    }

    /// Returns a picture's time in the sequence; `nil` if it does not belong there.
    private func admit(
        _ picture: VideoFrame, _ frame: ReceivedFrame, of layer: Int, _ id: ReceivingStreamID
    ) -> MediaTime? {
        let now = clock.now
        let (time, events) = state.withLock { (state) -> (MediaTime?, [CallEvent]) in
            let clock = session.look { $0.senderClock(of: id) }
            let current = state.selector.current
            let time = state.selector.show(
                LayerSelector.Picture(
                    captureTime: picture.captureTime, wallClock: clock?.wallClock(of: frame.rtpTimestamp),
                    playoutTime: frame.playoutTime),
                of: layer)
            if state.selector.awaits(layer) { session.look { $0.expedite(id, at: now) } }
            var events: [CallEvent] = []
            state.choice.note(picture.resolution, of: layer, at: now)
            if let wanted = applyChoice(&state, at: now) { events.append(wanted) }
            if state.selector.current != current {
                applyNeeds(&state, at: now)
                events.append(
                    .layerChanged(self, from: current.map(streams.layerName), to: streams.layerName(layer)))
            }
            return (time, events)
        }
        for event in events { emit(event) }
        return time
    }

    /// Finishes the sinks of hidden layers and views, or of all if we have left the participant.
    func finishHidden() {
        let (layers, views) = state.withLock { state in
            if state.isLeaving {
                state.hidden += state.shown.values
                state.shown = [:]
                if let view = state.view.take() { state.hiddenViews.append(view) }
            }
            defer { (state.hidden, state.hiddenViews) = ([], []) }
            return (state.hidden, state.hiddenViews)
        }
        for layer in layers { if let error = layer.finish() { emit(.sinkFailed(self, layer.rid, error)) } }
        for view in views { if let error = view.finish() { emit(.sinkFailed(self, view.layers[0].rid, error)) } }
    }

    // The work that is due for a participant, on a decoding thread.

    /// Does what is due, up to one frame, and returns when to call again. `nil`: we have left the participant, and
    /// their sinks are finished.
    func serve(at now: MediaTime, into bytes: inout [UInt8]) -> MediaTime? {
        finishHidden()
        if let (outcome, count) = input.takeUnreadable() { emit(.unprotectFailed(self, outcome, count: count)) }
        let next = updateChoice(at: now)
        switch session.poll(at: now, into: &bytes, delivering: output.send, { tell($0, at: now) }) {
        case .decode(let frame, let id):
            show(frame, of: id, bytes.span)
            return MediaTime(nanoseconds: .min)
        case .wait(let time):
            guard hasLeft else { return PollBound.wait(until: min(time, next), after: now) }
            // We may have left since the first line.
            finishHidden()
            return nil
        }
    }

    private func setGone(_ hasLeftRemotely: Bool) {
        let isChange = state.withLock { state in
            defer { state.hasLeftRemotely = hasLeftRemotely }
            return state.hasLeftRemotely != hasLeftRemotely
        }
        if isChange { noteWants() }
    }

    /// Looks for another layer in the place of one that is muted.
    private func expediteChoice(at now: MediaTime) {
        state.withLock { $0.choice.expedite(at: now) }
        wakePoller()
    }

    private func tell(_ event: SessionEvent, at now: MediaTime) {
        switch event {
        case .connected, .restarted:
            setGone(false)
            emit(.joined(self))
        case .interrupted: emit(.interrupted(self))
        case .lost: emit(.lost(self))
        case .reconnected(let silence): emit(.reconnected(self, after: silence))
        case .left(let reason):
            setGone(true)
            emit(.left(self, reason: reason))
        case .failed(let error):
            setGone(true)
            emit(.left(self, reason: "\(error)"))
        case .firstPicture(let id, let size, let delay):
            if let layer = shownLayer(id) { emit(.firstPicture(self, layer.rid, size, after: delay)) }
        case .sizeChanged(let id, let size):
            if let layer = shownLayer(id) { emit(.sizeChanged(self, layer.rid, size)) }
        case .muted(let id):
            expediteChoice(at: now)
            guard let layer = shownLayer(id) else { return }
            layer.use { $0.interrupt() }
            emit(.muted(self, layer.rid))
        case .unmuted(let id):
            expediteChoice(at: now)
            guard let layer = shownLayer(id) else { return }
            layer.use { $0.interrupt() }
            emit(.unmuted(self, layer.rid))
        case .ended(let id): if let layer = shownLayer(id) { emit(.ended(self, layer.rid)) }
        case .pauseRequested, .resumeRequested: noteWants()
        case .sendingStopped(_, let reason):
            noteWants()
            emit(.sendingStopped(self, reason))
        case .sendingResumed:
            noteWants()
            emit(.sendingResumed(self))
        case .rateFeedbackChanged(let feedback): emit(.rateFeedbackChanged(self, feedback))
        // A new SSRC of ours: if one key serves both directions, packets from it must be rejected too.
        case .collision: refuseOwnSources()
        case .packetsRequested(let id, let count):
            shownLayer(id)?.observer?(.packetsRequested(count: count), now)
        case .keyFrameRequested(let id): shownLayer(id)?.observer?(.keyFrameRequested, now)
        case .layerChanged, .sourceChanged, .feedback, .maximumBitrateEstimated, .transportFeedback: break
        }
    }
}
