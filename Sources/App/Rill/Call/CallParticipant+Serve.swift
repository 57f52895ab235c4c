import RillCore
import RillSession

// The work that is due for a participant, on a decoding thread.

extension CallParticipant {
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
            guard let layer = shownLayer(id) else { return }
            layer.use { $0.interrupt() }
            emit(.muted(self, layer.rid))
        case .unmuted(let id):
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
