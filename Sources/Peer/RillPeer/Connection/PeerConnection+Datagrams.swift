public import RillCore
import RillRTP
public import RillSend
public import RillSession

/// Datagrams, frames and time.
extension PeerConnection {
    /// Takes a datagram; poll afterwards.
    ///
    /// - Parameters:
    ///   - datagram: any bytes. A packet of SRTP is decrypted in place.
    ///   - path: where it came from.
    ///   - now: the current time.
    /// - Returns: what became of it.
    @discardableResult
    public func insert(
        _ datagram: inout MutableSpan<UInt8>, on path: ICEPath, at now: MediaTime
    ) -> PeerInsertResult {
        insert(&datagram, on: path, at: now, arrival: now)
    }

    /// Takes a datagram that arrived at another time, not after `now`.
    package func insert(
        _ datagram: inout MutableSpan<UInt8>, on path: ICEPath, at now: MediaTime, arrival: MediaTime
    ) -> PeerInsertResult {
        guard state != .closed else { return .dropped(.closed) }
        switch agent.insert(datagram.span, on: path, at: now) {
        case .data: return insert(data: &datagram, at: now, arrival: arrival)
        case .early: return insert(early: datagram.span, on: path)
        case let result: return .ice(result)
        }
    }

    /// Takes a datagram that is not STUN, from an address that has sent a check, and not answered ours yet.
    func insert(early datagram: Span<UInt8>, on path: ICEPath) -> PeerInsertResult {
        link.hold(datagram, on: path) ? .held : .dropped(.early)
    }

    /// Takes a datagram that is not STUN, from an address that ICE has validated.
    func insert(
        data datagram: inout MutableSpan<UInt8>, at now: MediaTime, arrival: MediaTime
    ) -> PeerInsertResult {
        counts.packetsReceived += 1
        counts.bytesReceived += datagram.count
        switch DatagramKind(of: datagram.span) {
        case .rtp, .rtcp: return settings.passesMedia ? .passed : insert(media: &datagram, at: now, arrival: arrival)
        case .dtls:
            // Media may come right behind the end of a handshake, before a poll.
            defer { takeKeys() }
            return link.insert(dtls: datagram.span, at: now)
        case let kind: return .dropped(.unknownProtocol(kind))
        }
    }

    private func insert(
        media datagram: inout MutableSpan<UInt8>, at now: MediaTime, arrival: MediaTime
    ) -> PeerInsertResult {
        guard state != .closed else { return .dropped(.closed) }
        guard let outcome = media?.unprotect(&datagram) else {
            counts.packetsWithoutKeys += 1
            return .dropped(.noKeys)
        }
        guard case .unprotected(_, let byteCount) = outcome else { return .dropped(.refused(outcome)) }
        let packet = datagram.span.extracting(0..<byteCount)
        return madeSession.map { .media($0.insert(packet, at: now, arrival: arrival)) } ?? .dropped(.noKeys)
    }

    /// Sends an encoded frame: its packets wait to be transmitted.
    ///
    /// - Parameters:
    ///   - frame: the encoder's description of the frame.
    ///   - payload: the encoded bytes, at least one.
    ///   - id: the stream.
    ///   - now: the current time.
    /// - Returns: the sequence numbers and timestamp of the frame; `nil` if it is not sent: the connection is not there
    ///   yet, or as ``/RillSession/RTPSession/send(_:payload:of:at:)``.
    @discardableResult
    public func send(
        _ frame: EncodedFrame, payload: Span<UInt8>, of id: SendingStreamID, at now: MediaTime
    ) -> SentFrame? {
        // What waits for a connection would be old when it is there.
        guard media?.isOpen == true, agent.selectedPath != nil, state != .closed else { return nil }
        return madeSession?.send(frame, payload: payload, of: id, at: now)
    }

    /// Sends a payload of sound: its packet waits to be transmitted.
    ///
    /// - Parameters:
    ///   - payload: the encoded bytes, at least one.
    ///   - stamp: its times and level.
    ///   - id: the stream, one of ``sendingSounds``.
    ///   - now: the current time.
    /// - Returns: its sequence number; `nil` if it is not sent: the connection is not there yet, or as
    ///   ``/RillSession/RTPSession/send(_:_:of:at:)``.
    @discardableResult
    public func send(
        _ payload: Span<UInt8>, _ stamp: PayloadStamp, of id: SendingStreamID, at now: MediaTime
    ) -> SequenceNumber? {
        guard media?.isOpen == true, agent.selectedPath != nil, state != .closed else { return nil }
        return madeSession?.send(payload, stamp, of: id, at: now)
    }

    /// For tests: sends a packet as it is, whatever was agreed on.
    ///
    /// - Parameter packet: the packet, of 12 to 1472 bytes.
    /// - Returns: whether it waits to be transmitted: not before the connection is there, nor behind 256 others.
    package func send(packet: Span<UInt8>) -> Bool {
        guard media?.isOpen == true, state != .closed, (12...1472).contains(packet.count), waitingPackets.count < 256
        else { return false }
        waitingPackets.append(packet.array)
        return true
    }

    /// Closes the connection: the peer is told by RTCP and DTLS with the next polls.
    ///
    /// - Parameter now: the current time.
    public func close(at now: MediaTime) {
        guard state != .closed else { return }
        madeSession?.leave(at: now)
        link.close(at: now)
    }

    /// Returns what to do at `now`. Call it until it returns `wait`.
    ///
    /// - Parameters:
    ///   - now: the current time.
    ///   - bytes: receives the datagram to transmit, or the frame to decode. Pass the same array each time: its memory
    ///     is reused.
    /// - Returns: the action.
    public func poll(at now: MediaTime, into bytes: inout [UInt8]) -> PeerAction {
        var wakeTime = MediaTime.distantFuture
        var bound = PollBound()
        agent: while state != .closed {
            guard bound.take() else {
                link.stop(after: bound.count)
                break
            }
            switch agent.poll(at: now, into: &bytes) {
            case .transmit(on: let path): return .transmit(on: path)
            case .event(let event): link.take(event, at: now)
            case .wait(until: let time):
                wakeTime = time
                break agent
            }
        }
        switch pollConnection(at: now, into: &bytes) {
        case .wait(until: let time): return .wait(until: min(time, wakeTime))
        case let action: return action
        }
    }

    /// What is to be done, but for ICE.
    func pollConnection(at now: MediaTime, into bytes: inout [UInt8]) -> PeerAction {
        if !events.isEmpty { return .event(events.removeFirst()) }
        let wakeTime: MediaTime
        switch link.poll(at: now, into: &bytes) {
        case .transmit(on: let path):
            noteSent(bytes)
            return .transmit(on: path)
        case .event(let event):
            take(event, at: now)
            return .event(event)
        case .wait(until: let time): wakeTime = time
        }
        guard media?.isOpen == true, link.pollsWithoutProgress == 0 else { return .wait(until: wakeTime) }
        if state == .connected, let stream = media?.takeKeyFrameRequest() { return .makeKeyFrame(of: stream) }
        while !waitingPackets.isEmpty {
            let next = waitingPackets.removeFirst()
            if let path = protect(next.span, into: &bytes, at: now) { return .transmit(on: path) }
        }
        return pollSession(at: now, into: &bytes, wakeTime)
    }

    /// Does what an event of the link means for the media.
    private func take(_ event: PeerEvent, at now: MediaTime) {
        switch event {
        case .stateChanged(_, to: .closed): madeSession?.leave(at: now)
        case .ice(.selectedPathChanged(from: .some, to: _)): madeSession?.restartCongestionControl(at: now)
        case .keysAgreed: takeKeys()
        case .stateChanged, .streamsChanged, .failed, .ice, .warning, .session: break
        }
    }

    private func pollSession(
        at now: MediaTime, into bytes: inout [UInt8], _ wakeTime: MediaTime
    ) -> PeerAction {
        guard let session = madeSession else { return .wait(until: wakeTime) }
        // Without a path, all packets that wait are dropped at once.
        var bound = PollBound(PeerConnection.maximumDropCount)
        while bound.take() {
            var path: ICEPath?
            let action = session.poll(at: now, into: &bytes) { packet, bytes in
                path = protect(packet, into: &bytes, at: now)
            }
            switch action {
            case .transmit:
                guard let path else { continue }
                return .transmit(on: path)
            case .decode(of: let stream): return .decode(of: stream)
            case .payload(of: let stream, let payload): return .payload(of: stream, payload)
            case .makeKeyFrame(of: let stream): return .makeKeyFrame(of: stream)
            case .event(.failed(let error)):
                link.fail(.session(error))
                link.updateState()
                return pollConnection(at: now, into: &bytes)
            case .event(let event): return .event(.session(event))
            case .wait(until: let time): return .wait(until: state == .closed ? .distantFuture : min(time, wakeTime))
            }
        }
        link.stop(after: bound.count)
        return pollConnection(at: now, into: &bytes)
    }

    /// The packets that one poll drops at most: more than ever wait in a session.
    private static let maximumDropCount = 1 << 18

    /// Protects a packet, and counts it as sent.
    ///
    /// - Returns: where the datagram goes; `nil` for nowhere: there is no path, or SRTP refuses.
    private func protect(_ packet: Span<UInt8>, into bytes: inout [UInt8], at now: MediaTime) -> ICEPath? {
        guard let path = agent.selectedPath else {
            counts.packetsDropped += 1
            return nil
        }
        bytes.removeAll(keepingCapacity: true)
        media?.protect(packet, into: &bytes)
        guard !bytes.isEmpty else {
            counts.packetsDropped += 1
            return nil
        }
        noteSent(bytes)
        agent.noteSent(byteCount: bytes.count, on: path, at: now)
        return path
    }

    private func noteSent(_ bytes: [UInt8]) {
        counts.packetsSent += 1
        counts.bytesSent += bytes.count
    }
}
