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
        note(lateness: now - arrival, at: now)
        _ = port.insert(&datagram, on: path, at: now, arrival: arrival)
    }

    /// Returns what to do at `now`. Call it until it returns `wait`.
    ///
    /// - Parameters:
    ///   - now: the current time.
    ///   - bytes: receives the datagram to transmit. Pass the same array each time: its memory is reused.
    /// - Returns: the action.
    public func poll(at now: MediaTime, into bytes: inout [UInt8]) -> ForwardAction {
        if restTime < now { note(lateness: now - restTime, at: now) }
        restTime = .distantFuture
        let action = act(at: now, into: &bytes)
        if case .wait(until: let time) = action { restTime = max(time, now) }
        return action
    }

    private func act(at now: MediaTime, into bytes: inout [UInt8]) -> ForwardAction {
        var peerBound = PeerPollBound()
        var workBound = PollBound()
        while true {
            if let event = takeEvent() { return .event(event) }
            switch port.poll(at: now, into: &bytes) {
            case .transmit(on: let path): return .transmit(on: path)
            case .decode(let id, let stream):
                if mayGoOn(id, &peerBound, at: now) { take(bytes.span, of: id, stream, at: now) }
            case .payload(let id, let stream, let payload):
                if mayGoOn(id, &peerBound, at: now) { forward(payload, bytes.span, of: id, stream, at: now) }
            case .makeKeyFrame(let id, let sending):
                if mayGoOn(id, &peerBound, at: now) { requestKeyFrame(for: id, sending, at: now) }
            case .event(let id, let event): if mayGoOn(id, &peerBound, at: now) { take(event, of: id, at: now) }
            case .wait(until: let time):
                let due = min(keyFrameRequestTime, interestTime, deadlines.values.min() ?? .distantFuture)
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

    /// Notes how late a datagram was taken, or a poll came.
    private func note(lateness: MediaDuration, at now: MediaTime) {
        let former = overloadControl.level
        guard overloadControl.note(lateness, at: now) else { return }
        if overloadControl.level > former { overloadCount += 1 }
        note(.overloadChanged(to: overloadControl.level))
        for member in members.values { member.nextChoice = now }
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
        guard let stream = publishers[id]?.first(where: { $0.isOf(id, received) }) else {
            return
        }
        if frame.frame.isKey { takeOver(stream, by: id, at: now) }
        guard stream.publisher == id, !stream.isMuted.pictures, let layer = stream.index(of: received) else { return }
        if frame.frame.isKey, stream.layers[layer].codec != frame.frame.codec {
            change(stream, layer, to: frame.frame.codec, at: now)
        }
        // Who joins now gets the frames before this one, and then this one.
        for slot in stream.subscriptions {
            guard let member = members[slot.member] else { continue }
            choose(for: member, isKeyFrameHere: frame.frame.isKey ? (stream, layer) : nil, at: now)
        }
        let isFirst = stream.layers[layer].resolution == nil && frame.frame.isKey
        let isResized = frame.frame.isKey && stream.layers[layer].resolution != frame.frame.resolution
        let published = stream.layers[layer].take(
            frame.frame, payload, wallClock: clock?.wallClock(of: frame.rtpTimestamp), at: now)
        if isFirst {
            note(.firstPicture(named(id, stream), layer: stream.layers[layer].name, frame.frame.resolution.known))
        }
        if isResized { updateInterest(in: stream, at: now) }
        for slot in stream.subscriptions {
            guard slot.current == layer || slot.target == layer else { continue }
            guard slot.codecs.contains(frame.frame.codec) else { continue }
            let former = slot.current
            port.change(slot.member) { connection in
                slot.send(published, payload, of: layer, over: connection, at: now)
            }
            noteLayer(of: slot, after: former)
        }
        scheduleKeyFrameRequest(of: stream)
    }

    /// A layer goes over to another codec, with a key frame. Each viewer's layer is chosen again: one of a codec that
    /// it has.
    private func change(_ stream: ForwardedStream, _ layer: Int, to codec: VideoCodec, at now: MediaTime) {
        stream.layers[layer].change(to: codec)
        stream.codec = codec
        for slot in stream.subscriptions { members[slot.member]?.nextChoice = now }
    }

    private func noteLayer(of slot: Subscription, after former: Int?) {
        guard let stream = slot.stream, let current = slot.current, current != former else { return }
        note(.layerChanged(named(slot.member, stream), to: stream.layers[current].name))
    }

    // MARK: Layers

    /// How often a member's layers are chosen.
    private static let choiceInterval = MediaDuration.milliseconds(100)

    /// Chooses the layers that a member is to get, if it is time for that, and sees to it that they come.
    ///
    /// - Parameters:
    ///   - member: the member.
    ///   - arrival: the stream and layer of which a key frame has just arrived.
    ///   - now: the current time.
    func choose(for member: Member, isKeyFrameHere arrival: (ForwardedStream, Int)? = nil, at now: MediaTime) {
        guard now >= member.nextChoice, let connection = port[member.id], connection.state == .connected else { return }
        member.nextChoice = now + StreamForwarder.choiceInterval
        let paused = member.slots.map(\.isPaused)
        if let bitrate = member.chooseLayers(over: connection, leavingOut: overloadControl.level, at: now) {
            port.change(member.id) { connection in connection.session?.requestProbe(of: bitrate, at: now) }
        }
        for (slot, wasPaused) in zip(member.slots, paused) {
            // For one to whom nothing is sent no key frame is asked for.
            guard let stream = slot.stream, connection.session?.isAccepted(slot.sending) == true else { continue }
            if slot.isPaused, !wasPaused { note(.paused(named(member.id, stream))) }
            let isForeign = !stream.layers.contains { slot.codecs.contains($0.codec) }
            if isForeign, !stream.layers.isEmpty, slot.lose(stream.codec) {
                note(.codecUnavailable(named(member.id, stream), stream.codec))
            }
            fetch(for: slot, of: stream, isKeyFrameHere: arrival.flatMap { $0.0 === stream ? $0.1 : nil }, at: now)
        }
    }

    /// Sees to it that a slot gets the layer that was chosen: by its recent frames, or by a key frame.
    private func fetch(
        for slot: Subscription, of stream: ForwardedStream, isKeyFrameHere layer: Int?, at now: MediaTime
    ) {
        guard let target = slot.target, slot.awaits(target), target != layer else { return }
        let former = slot.current
        let hasJoined = port.change(slot.member) { connection in
            slot.join(target, stream.layers[target].recent, over: connection, at: now)
        }
        if hasJoined != true, slot.mayAsk(at: now) {
            stream.layers[target].wantKeyFrame()
            slot.wait(from: max(now, stream.layers[target].requestTime))
            scheduleKeyFrameRequest(of: stream)
        }
        noteLayer(of: slot, after: former)
    }

    // MARK: Key frames

    /// Two requests of one moment are one.
    private static let shortestRoundTrip = MediaDuration.milliseconds(20)

    private func requestKeyFrame(for id: ICEPeerID, _ sending: SendingStreamID, at now: MediaTime) {
        guard let member = members[id], let slot = member.slot(of: sending) else { return }
        let roundTrip = port[id]?.session?.roundTripStatistics.roundTripTime ?? .zero
        guard slot.breakOff(max(roundTrip, StreamForwarder.shortestRoundTrip), at: now) else { return }
        member.nextChoice = now
        choose(for: member, at: now)
    }

    func scheduleKeyFrameRequest(of stream: ForwardedStream) {
        for layer in stream.layers { keyFrameRequestTime = min(keyFrameRequestTime, layer.requestTime) }
    }

    /// Does what is due by time: asks for key frames, and ends streams without publishers.
    private func work(at now: MediaTime) {
        if interestTime <= now { updateInterest(at: now) }
        keyFrameRequestTime = .distantFuture
        for stream in streams.values {
            if let publisher = stream.publisher { askForKeyFrames(of: stream, publisher, at: now) }
            scheduleKeyFrameRequest(of: stream)
        }
        for (name, deadline) in deadlines where deadline <= now {
            deadlines[name] = nil
            guard let stream = streams.removeValue(forKey: name) else { continue }
            release(stream, at: now)
        }
    }

    private func askForKeyFrames(of stream: ForwardedStream, _ publisher: ICEPeerID, at now: MediaTime) {
        for index in stream.layers.indices where stream.layers[index].requestTime <= now {
            // Noted whether it is sent or not: a layer that is not there yet begins with a key frame.
            stream.layers[index].noteRequest(at: now)
            guard !stream.layers[index].isKeyFrameComing(at: now) else { continue }
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
            note(.connected(named(id)))
            guard let member = members[id] else { return }
            member.nextChoice = now
            choose(for: member, at: now)
        case .stateChanged(_, to: .closed): end(id, .left, at: now)
        case .failed(let error):
            if let count = error.pollsWithoutProgress { pollsWithoutProgress += count }
            end(id, .failed(error), at: now)
        case .session(.sendingStopped(_, let reason)): stop(id, reason, at: now)
        case .session(.sendingResumed):
            if members[id] != nil { note(.resumed(named(id))) }
            updateInterest(of: id, at: now)
        case .session(.pauseRequested), .session(.resumeRequested): updateInterest(of: id, at: now)
        case .session(.keyFrameRequested(of: let received)): noteRequest(of: received, id)
        case .stateChanged, .streamsChanged, .ice, .warning, .keysAgreed, .session: break
        }
    }

    /// A publisher's session itself has requested a key frame: it cannot go on without.
    private func noteRequest(of received: ReceivingStreamID, _ id: ICEPeerID) {
        for stream in publishers[id] ?? [] where stream.publisher == id {
            guard let layer = stream.index(of: received), stream.layers[layer].noteFailure() else { continue }
            note(.unreadable(named(id, stream), layer: stream.layers[layer].name))
        }
    }

    /// A circuit breaker has stopped what a session gets. One that may report again waits for that; what is lost on its
    /// path, or too much for that, does not come back by itself (RFC 8083 §4.5).
    private func stop(_ id: ICEPeerID, _ reason: CircuitBreak, at now: MediaTime) {
        guard members[id] != nil else { return }
        switch reason {
        case .reportTimeout: note(.stopped(named(id), reason))
        case .mediaTimeout, .congestion, .unusable: end(id, .circuitBroken(reason), at: now)
        }
    }

    /// Ends a session that is still there, for a reason.
    func end(_ id: ICEPeerID, _ reason: ForwardEnd, at now: MediaTime) {
        port.change(id) { connection in connection.close(at: now) }
        guard ledger[id] != nil else { return }
        note(.ended(named(id), reason))
        ledger.remove(id)
        if let member = members.removeValue(forKey: id) {
            formerCounts.add(member.counts)
            let shown = member.slots.compactMap(\.stream)
            member.leave()
            for stream in shown { updateInterest(in: stream, at: now) }
        }
        for stream in publishers.removeValue(forKey: id) ?? [] {
            lose(id, of: stream, isEvicted: reason == .evicted, at: now)
        }
    }

    /// A session in an event: of a stream, or as it came. It is in the ledger until its end was noted.
    func named(_ id: ICEPeerID, _ stream: ForwardedStream? = nil) -> ForwardSession {
        let entry = ledger[id]
        return ForwardSession(
            id: id, stream: stream?.name ?? entry?.stream ?? "", isPublisher: entry?.isPublisher ?? false)
    }

    func note(_ event: ForwardEvent) { events.append(event) }
}
