package import RillCore
package import RillRTP
import RillSession

// What a participant is sent.

extension CallParticipant: LayerOutput {
    package func send(
        _ frame: EncodedFrame, _ payload: Span<UInt8>, of layer: Int, at now: MediaTime
    ) -> RTPTimestamp? {
        let now = clock.now
        let (taken, isDue) = state.withLock { state -> (LayerSwitch.Taken, Bool) in
            guard state.isReady, !state.isLeaving, !state.hasLeftRemotely else { return (.nothing, false) }
            let isDue = state.keyFrames.note(layer, isKey: frame.isKey, at: now)
            return (state.sent.take(frame, of: layer), isDue)
        }
        if isDue { encoders.withLock { $0.requestKeyFrame }?(layer) }
        guard case .frame(let frame, on: let stream) = taken else {
            if case .needsKeyFrame = taken { encoders.withLock { $0.requestKeyFrame }?(layer) }
            return nil
        }
        let (sent, next) = session.change(delivering: output.send) { session in
            (session.send(frame, payload: payload, of: stream, at: now), session.nextPoll)
        }
        if let place = state.withLock({ $0.place }) { poller.wake(self, at: place, when: next) }
        return sent?.timestamp
    }

    /// Whether the participant wants a layer of ours.
    func wants(layer: Int) -> Bool {
        let id = state.withLock { state -> SendingStreamID? in
            guard state.isReady, !state.isLeaving, !state.hasLeftRemotely else { return nil }
            return state.sent.stream(of: layer)
        }
        guard let id else { return false }
        return session.look { $0.isAccepted(id) }
    }

    /// Our layers that the participant wants, whether their network carries them or not.
    var wanted: LayerSet {
        let streams = state.withLock { state -> [(LayerSwitch)] in
            state.isReady && !state.isLeaving && !state.hasLeftRemotely ? state.sent : []
        }
        return streams.reduce(into: LayerSet()) { wanted, stream in
            if session.look({ $0.isAccepted(stream.id) }) { wanted.insert(.layer(stream.wanted)) }
        }
    }

    /// Limits what the participant is sent to these layers, which their network carries. A stream that carries none of
    /// them is announced as paused (RFC 7728); each begins again with a key frame.
    func limit(to allowed: LayerSet) {
        let now = clock.now
        let (sent, isMuted) = state.withLock { state in
            state.allowed = allowed
            for index in state.sent.indices { state.sent[index].limit(to: allowed) }
            return (state.sent, state.isMuted)
        }
        session.change(delivering: output.send) { session in
            for stream in sent { session.setMuted(isMuted || stream.target == nil, of: stream.id, at: now) }
        }
        noteWants()
        for layer in ourLayers.indices where wants(layer: layer) { encoders.withLock { $0.requestKeyFrame }?(layer) }
        wakePoller()
    }

    /// Finds out whether the participant's network carries a bitrate.
    func probe(_ bitrate: Bitrate, at now: MediaTime) {
        session.change(delivering: output.send) { $0.requestProbe(of: bitrate, at: now) }
        wakePoller()
    }

    /// Sends a layer instead of those that share a stream with it (``SentStream/layers``), from its next key frame on,
    /// which is requested.
    ///
    /// - Parameter layer: one of our layers.
    /// - Throws: ``CallError/noSuchLayer(_:sent:)`` for a layer that they are not sent.
    public func send(_ layer: StreamLayer.RID) throws(CallError) {
        let index = ourLayers.firstIndex { $0.rid == layer }
        guard let index, let isChange = state.withLock({ $0.sent.want(index) }) else {
            throw .noSuchLayer(layer, sent: sentLayers.map(\.layer.rid))
        }
        guard isChange else { return }
        noteWants()
        encoders.withLock { $0.requestKeyFrame }?(index)
    }

    /// Sets whether the participant wants a layer of ours, from the app's own signaling. Use it if they do not ask
    /// for it in RTCP themselves.
    ///
    /// - Parameters:
    ///   - isWanted: whether the layer is sent.
    ///   - layer: one of our layers.
    /// - Throws: ``CallError/noSuchLayer(_:sent:)`` for a layer that they are not sent.
    public func setWantedByPeer(_ isWanted: Bool, _ layer: StreamLayer.RID) throws(CallError) {
        let index = ourLayers.firstIndex { $0.rid == layer }
        guard let index, let id = state.withLock({ $0.sent.stream(of: index) }) else {
            throw .noSuchLayer(layer, sent: sentLayers.map(\.layer.rid))
        }
        session.change(delivering: output.send) { $0.setPaused(!isWanted, of: id, at: clock.now) }
        noteWants()
        wakePoller()
    }

    /// Announces that we pause all streams, or resume them.
    func setMuted(_ isMuted: Bool) {
        let now = clock.now
        let sent = state.withLock { state in
            state.isMuted = isMuted
            return state.sent
        }
        session.change(delivering: output.send) { session in
            for stream in sent { session.setMuted(isMuted || stream.target == nil, of: stream.id, at: now) }
        }
        wakePoller()
    }
}
