public import RillCore
public import RillPeer
import RillRTP
import RillSession

/// Datagrams and time.
extension StreamForwarder {
    /// Takes a datagram; poll afterwards.
    ///
    /// - Parameters:
    ///   - datagram: any bytes. A packet of SRTP is decrypted in place.
    ///   - path: where it came from.
    ///   - now: the current time.
    public func insert(_ datagram: inout MutableSpan<UInt8>, on path: ICEPath, at now: MediaTime) {
        insert(&datagram, on: path, at: now, arrival: now)
    }

    /// Takes a datagram that arrived at another time, not after `now`.
    package func insert(
        _ datagram: inout MutableSpan<UInt8>, on path: ICEPath, at now: MediaTime, arrival: MediaTime
    ) {
        let result = port.insert(&datagram, on: path, at: now, arrival: arrival)
        guard case .peer(let id, .packet(_, let byteCount)) = result else { return }
        let packet = datagram.span.extracting(0..<byteCount)
        forward(audio: packet, id, at: now)
    }

    /// Forwards a packet of audio to all viewers who want it.
    private func forward(audio packet: Span<UInt8>, _ id: ICEPeerID, at now: MediaTime) {
        guard let stream = publishers[id], stream.publisher == id else { return }
        let known = stream.sound?.publisher == id ? stream.sound : nil
        var sound = known ?? PublishedSound(of: id, settings)
        let outcome = sound.take(packet, at: now)
        stream.sound = sound
        droppedSound.add(outcome)
        guard outcome == .forwarded || outcome == .padding else { return }
        // Swapped out and back, so that the memory is reused.
        var bytes: [UInt8] = []
        swap(&bytes, &audioPacket)
        for viewer in stream.viewers {
            guard viewer.audio?.rewrite(packet, at: now, into: &bytes) == true else { continue }
            port.change(viewer.id) { connection in
                if connection.send(packet: bytes.span) { viewer.counts.audioPackets += 1 }
            }
        }
        swap(&bytes, &audioPacket)
    }

    /// Returns what to do at `now`. Call it until it returns `wait`.
    ///
    /// - Parameters:
    ///   - now: the current time.
    ///   - bytes: receives the datagram to transmit. Pass the same array each time: its memory is reused.
    /// - Returns: the action.
    public func poll(at now: MediaTime, into bytes: inout [UInt8]) -> ForwardAction {
        var peerBound = PeerPollBound()
        var workBound = PollBound()
        while true {
            if let event = takeEvent() { return .event(event) }
            switch port.poll(at: now, into: &bytes) {
            case .transmit(on: let path): return .transmit(on: path)
            case .decode(let id, let stream):
                if mayGoOn(id, &peerBound, at: now) { take(bytes.span, of: id, stream, at: now) }
            case .makeKeyFrame(let id, _): if mayGoOn(id, &peerBound, at: now) { requestKeyFrame(for: id, at: now) }
            case .event(let id, let event): if mayGoOn(id, &peerBound, at: now) { take(event, of: id, at: now) }
            case .wait(until: let time):
                let due = min(keyFrameRequestTime, deadlines.values.min() ?? .distantFuture)
                if due > now { return .wait(until: min(time, due)) }
                guard workBound.take() else {
                    // An error of ours: what is due stays due. The sessions go on.
                    pollsWithoutProgress += workBound.count
                    return .wait(until: PollBound.wait(until: min(time, due), after: now))
                }
                work(at: now)
            }
        }
    }

    /// Whether a session may be served again in this poll. One that never has nothing to do is an error of ours, and is
    /// ended.
    private func mayGoOn(_ id: ICEPeerID, _ bound: inout PeerPollBound, at now: MediaTime) -> Bool {
        if bound.take(id) { return true }
        pollsWithoutProgress += bound.count
        end(id, .failed(.internalError(pollsWithoutProgress: bound.count)), at: now)
        port.remove(id)
        return false
    }

    private func takeEvent() -> ForwardEvent? {
        guard nextEvent < events.count else { return nil }
        defer {
            nextEvent += 1
            if nextEvent == events.count {
                events.removeAll(keepingCapacity: true)
                nextEvent = 0
            }
        }
        return events[nextEvent]
    }

    // MARK: Frames

    /// Forwards a frame of a publisher's.
    private func take(_ payload: Span<UInt8>, of id: ICEPeerID, _ received: ReceivingStreamID, at now: MediaTime) {
        guard let session = port[id]?.session else { return }
        let frame = session.releasedFrame
        let clock = session.senderClock(of: received)
        port.change(id) { _ in
            // Whoever decodes it reports to us, not to the publisher.
            session.finish(
                frame, of: received, .decoded, picture: frame.frame.resolution, decoded: now, at: now)
        }
        guard let stream = publishers[id] else { return }
        if frame.frame.isKey { takeOver(stream, by: id, at: now) }
        guard stream.publisher == id, let layer = stream.index(of: received) else { return }
        if frame.frame.isKey, stream.layers[layer].codec != frame.frame.codec {
            change(stream, layer, to: frame.frame.codec, at: now)
        }
        // Who joins now gets the frames before this one, and then this one.
        for viewer in stream.viewers { choose(for: viewer, isKeyFrameHere: frame.frame.isKey ? layer : nil, at: now) }
        let isFirst = stream.layers[layer].resolution == nil && frame.frame.isKey
        let published = stream.layers[layer].take(
            frame.frame, payload, wallClock: clock?.wallClock(of: frame.rtpTimestamp), at: now)
        if isFirst {
            note(.firstPicture(named(id, of: stream), layer: stream.layers[layer].name, frame.frame.resolution))
        }
        for viewer in stream.viewers {
            guard viewer.current == layer || viewer.target == layer else { continue }
            guard viewer.codecs.contains(frame.frame.codec) else { continue }
            let former = viewer.current
            port.change(viewer.id) { connection in
                viewer.send(published, payload, of: layer, over: connection, at: now)
            }
            noteLayer(of: viewer, after: former)
        }
        scheduleKeyFrameRequest(of: stream)
    }

    /// A layer goes over to another codec, with a key frame. Each viewer's layer is chosen again: one of a codec that
    /// it has.
    private func change(_ stream: ForwardedStream, _ layer: Int, to codec: VideoCodec, at now: MediaTime) {
        stream.layers[layer].change(to: codec)
        stream.codec = codec
        for viewer in stream.viewers { viewer.nextChoice = now }
    }

    private func noteLayer(of viewer: Viewer, after former: Int?) {
        guard let current = viewer.current, current != former else { return }
        note(.layerChanged(named(viewer.id, of: viewer.stream), to: viewer.stream.layers[current].name))
    }

    // MARK: Layers

    /// How often a viewer's layer is chosen.
    private static let choiceInterval = MediaDuration.milliseconds(100)

    /// Chooses the layer that a viewer is to get, if it is time for that, and sees to it that it comes.
    ///
    /// - Parameters:
    ///   - viewer: the viewer.
    ///   - layer: the layer of which a key frame has just arrived.
    ///   - now: the current time.
    func choose(for viewer: Viewer, isKeyFrameHere layer: Int? = nil, at now: MediaTime) {
        guard now >= viewer.nextChoice, let connection = port[viewer.id], connection.state == .connected else { return }
        viewer.nextChoice = now + StreamForwarder.choiceInterval
        // For one to whom nothing is sent no key frame is asked for.
        guard connection.session?.isAccepted(viewer.sending) == true else { return }
        let stream = viewer.stream
        let requested = viewer.requested.flatMap(stream.find).flatMap { stream.running($0, at: now) }
        let usable = requested.flatMap { viewer.codecs.contains(stream.layers[$0].codec) ? $0 : nil }
        viewer.aim(at: usable ?? bestLayer(for: viewer, over: connection, at: now))
        if viewer.target == nil, !stream.layers.isEmpty, viewer.lose(stream.codec) {
            note(.codecUnavailable(named(viewer.id, of: stream), stream.codec))
        }
        guard let target = viewer.target, viewer.awaits(target), target != layer else { return }
        let former = viewer.current
        let hasJoined = port.change(viewer.id) { connection in
            viewer.join(target, stream.layers[target].recent, over: connection, at: now)
        }
        if hasJoined != true, viewer.mayAsk(at: now) {
            stream.layers[target].wantKeyFrame()
            scheduleKeyFrameRequest(of: stream)
        }
        noteLayer(of: viewer, after: former)
    }

    /// What a frame's bytes become on the path, with all headers: a twentieth more.
    private static let overhead = 1.05

    private func bestLayer(for viewer: Viewer, over connection: PeerConnection, at now: MediaTime) -> Int? {
        let order = viewer.stream.order.filter { viewer.codecs.contains(viewer.stream.layers[$0].codec) }
        let layers = order.map { index in
            let rates = viewer.stream.layers[index].rates(at: now)
            return LayerPolicy.Layer(bits: rates.bits * StreamForwarder.overhead, isLive: rates.frames > 0)
        }
        let allowance = connection.session?.allowance(at: now)
        let chosen = viewer.policy.choose(
            layers, current: viewer.target.flatMap { order.firstIndex(of: $0) },
            bitrate: (allowance?.bitrate.bitsPerSecond).map(Double.init), isFull: allowance?.obstacle != nil, at: now)
        return chosen.map { order[$0] } ?? order.first
    }

    // MARK: Key frames

    /// Two requests of one moment are one.
    private static let shortestRoundTrip = MediaDuration.milliseconds(20)

    private func requestKeyFrame(for id: ICEPeerID, at now: MediaTime) {
        guard let viewer = viewers[id] else { return }
        let roundTrip = port[id]?.session?.roundTripStatistics.roundTripTime ?? .zero
        guard viewer.breakOff(max(roundTrip, StreamForwarder.shortestRoundTrip), at: now) else { return }
        viewer.nextChoice = now
        choose(for: viewer, at: now)
    }

    private func scheduleKeyFrameRequest(of stream: ForwardedStream) {
        for layer in stream.layers { keyFrameRequestTime = min(keyFrameRequestTime, layer.requestTime) }
    }

    /// Does what is due by time: asks for key frames, and ends streams without publishers.
    private func work(at now: MediaTime) {
        keyFrameRequestTime = .distantFuture
        for stream in streams.values {
            if let publisher = stream.publisher { askForKeyFrames(of: stream, publisher, at: now) }
            scheduleKeyFrameRequest(of: stream)
        }
        for (name, deadline) in deadlines where deadline <= now {
            deadlines[name] = nil
            guard let stream = streams.removeValue(forKey: name) else { continue }
            for viewer in stream.viewers { end(viewer.id, .streamEnded, at: now) }
        }
    }

    private func askForKeyFrames(of stream: ForwardedStream, _ publisher: ICEPeerID, at now: MediaTime) {
        for index in stream.layers.indices where stream.layers[index].requestTime <= now {
            // Noted whether it is sent or not: a layer that is not there yet begins with a key frame.
            stream.layers[index].noteRequest(at: now)
            let layer = stream.layers[index].id
            let isAsked = port.change(publisher) { $0.session?.requestKeyFrame(of: layer, at: now) ?? false }
            if isAsked == true { keyFrameRequestCount += 1 }
        }
    }

    // MARK: Events

    private func take(_ event: PeerEvent, of id: ICEPeerID, at now: MediaTime) {
        switch event {
        case .stateChanged(_, to: .connected):
            ledger.open(id)
            if let stream = publishers[id] { note(.connected(named(id, of: stream))) }
            guard let viewer = viewers[id] else { return }
            note(.connected(named(id, of: viewer.stream)))
            viewer.nextChoice = now
            choose(for: viewer, at: now)
        case .stateChanged(_, to: .closed): end(id, .left, at: now)
        case .failed(let error):
            if let count = error.pollsWithoutProgress { pollsWithoutProgress += count }
            end(id, .failed(error), at: now)
        case .session(.sendingStopped(_, let reason)): stop(id, reason, at: now)
        case .session(.sendingResumed):
            if let viewer = viewers[id] { note(.resumed(named(id, of: viewer.stream))) }
        case .stateChanged, .streamsChanged, .ice, .warning, .keysAgreed, .session: break
        }
    }

    /// A circuit breaker has stopped what a viewer gets. One that may report again waits for that; what is lost on its
    /// path, or too much for that, does not come back by itself (RFC 8083 §4.5).
    private func stop(_ id: ICEPeerID, _ reason: CircuitBreak, at now: MediaTime) {
        guard let viewer = viewers[id] else { return }
        switch reason {
        case .reportTimeout: note(.stopped(named(id, of: viewer.stream), reason))
        case .mediaTimeout, .congestion, .unusable: end(id, .circuitBroken(reason), at: now)
        }
    }

    /// Ends a session that is still there, for a reason.
    func end(_ id: ICEPeerID, _ reason: ForwardEnd, at now: MediaTime) {
        port.change(id) { connection in connection.close(at: now) }
        ledger.remove(id)
        if let stream = publishers.removeValue(forKey: id) {
            note(.ended(named(id, of: stream, isPublisher: true), reason))
            lose(id, of: stream, isEvicted: reason == .evicted, at: now)
        }
        guard let viewer = viewers.removeValue(forKey: id) else { return }
        viewer.stream.viewers.removeAll { $0 === viewer }
        formerCounts.add(viewer.counts)
        note(.ended(named(id, of: viewer.stream, isPublisher: false), reason))
    }

    private func named(_ id: ICEPeerID, of stream: ForwardedStream) -> ForwardSession {
        named(id, of: stream, isPublisher: viewers[id] == nil)
    }

    private func named(_ id: ICEPeerID, of stream: ForwardedStream, isPublisher: Bool) -> ForwardSession {
        ForwardSession(id: id, stream: stream.name, isPublisher: isPublisher)
    }

    private func note(_ event: ForwardEvent) { events.append(event) }
}
