public import RillCore
public import RillReceive

// What is due, and what waits to be taken.

extension RTPSession {
    /// Returns what to do at `now`. Call it until it returns `wait`.
    ///
    /// - Parameters:
    ///   - now: the current time.
    ///   - bytes: receives the datagram to transmit, or the frame to decode. Pass the same array each time: its
    ///     memory is reused.
    /// - Returns: the action.
    public func poll(at now: MediaTime, into bytes: inout [UInt8]) -> SessionAction {
        poll(at: now, into: &bytes) { datagram, bytes in
            bytes.removeAll(keepingCapacity: true)
            bytes.append(copying: datagram)
        }
    }

    /// Polls, and calls `write` with a datagram to transmit and that array: a driver protects it on its way there.
    package func poll(
        at now: MediaTime, into bytes: inout [UInt8], _ write: (Span<UInt8>, inout [UInt8]) -> Void
    ) -> SessionAction {
        record { .poll(at: now) }
        begin(at: now)
        // Counted here, where nothing is done: with a `PollBound` each packet takes 15 instructions more.
        var count = 0
        while true {
            let packet = datagrams.take(numberedFrom: &transportNumber) { datagram in write(datagram, &bytes) }
            if let packet {
                counts.packetsSent += 1
                counts.bytesSent += packet.byteCount
                return .transmit(packet)
            }
            if let action = nextAction(into: &bytes) { return action }
            if let time = work(at: now) { return .wait(until: time) }
            count += 1
            if count >= PollBound.limit { fail(.internalError(pollsWithoutProgress: count), at: now) }
        }
    }

    /// The description of the frame whose bytes ``poll(at:into:)`` returned last. Precondition: there was one.
    public var releasedFrame: ReceivedFrame {
        guard let lastReleased else { preconditionFailure("no frame was returned for decoding") }
        return lastReleased.releasedFrame
    }

    /// Sends all waiting datagrams, in order and without another copy: for a caller that takes many at once, instead
    /// of one per ``poll(at:into:)``. The sink may call back into the session.
    public func transmit(to packets: some PacketSink) { withDatagrams { $0.deliver(to: packets) } }

    /// Sends all waiting datagrams through a caller that protects them: each has room for ``tailroom`` more bytes.
    ///
    /// - Parameter body: receives each datagram and its description. What it appends is discarded after the call.
    public func transmit(_ body: (OutgoingPacket, inout OutputSpan<UInt8>) -> Void) {
        withDatagrams { $0.deliver { packet, _, datagram in body(packet, &datagram) } }
    }

    /// Bytes of room after each datagram; SRTCP needs at most 24.
    public static var tailroom: Int { PacketList<Int>.room }

    /// Takes out all waiting datagrams, so that who gets them may call back.
    private func withDatagrams(_ deliver: (DatagramQueue) -> Void) {
        guard !datagrams.isEmpty else { return }
        var queue = spareDatagrams ?? moreDatagrams.popLast() ?? DatagramQueue()
        spareDatagrams = nil
        exchangeDatagrams(&queue)
        deliver(queue)
        if spareDatagrams == nil { spareDatagrams = queue } else { moreDatagrams.append(queue) }
    }

    /// Polls like ``poll(at:into:)``, but leaves out datagrams, for a driver that takes them with
    /// ``exchangeDatagrams(_:)``.
    package func pollExceptDatagrams(at now: MediaTime, into bytes: inout [UInt8]) -> SessionAction {
        record { .poll(at: now) }
        begin(at: now)
        var count = 0
        while true {
            if let action = nextAction(into: &bytes) { return action }
            if let time = work(at: now) { return .wait(until: time) }
            count += 1
            if count >= PollBound.limit { fail(.internalError(pollsWithoutProgress: count), at: now) }
        }
    }

    /// Ends the session because of an error of ours: the remote side gets a BYE, and the app an event.
    func fail(_ error: SessionError, at now: MediaTime) {
        guard !hasLeft else { return }
        if case .internalError(let count) = error { counts.pollsWithoutProgress += count }
        leave(reason: "\(error)", at: now)
        events.append(.failed(error))
    }

    /// When to poll next if nothing arrives before; in the past if something waits to be done.
    package var nextPoll: MediaTime {
        let waits =
            !datagrams.isEmpty || !events.isEmpty || keyFramesWanted > 0 || released != nil || payloadsWaiting > 0
        if waits { return MediaTime(nanoseconds: .min) }
        return hasLeft ? .distantFuture : wakeTime
    }

    /// Takes all waiting datagrams, for a driver that delivers them outside the session.
    ///
    /// - Parameter spare: an empty queue, which is exchanged for the full one.
    package func exchangeDatagrams(_ spare: inout DatagramQueue) {
        guard !datagrams.isEmpty else { return }
        let sealed = datagrams.seal(numberedFrom: &transportNumber)
        counts.packetsSent += sealed.count
        counts.bytesSent += sealed.byteCount
        counts.packetsDropped += sealed.dropped
        swap(&datagrams, &spare)
    }

    /// For tests: from now on everything that is due stays due, as by an error of ours. The next poll ends the session.
    package func stall() {
        isStalled = true
        wakeTime = MediaTime(nanoseconds: .min)
    }

    /// The next pending action, except datagrams.
    @inline(__always)
    private func nextAction(into bytes: inout [UInt8]) -> SessionAction? {
        if keyFramesWanted > 0, let stream = takeKeyFrameRequest() { return .makeKeyFrame(of: stream) }
        if let event = events.next() { return .event(event) }
        if payloadsWaiting > 0, let action = takePayload(into: &bytes) { return action }
        guard let stream = released else { return nil }
        released = nil
        swap(&bytes, &releasedBytes)
        return .decode(of: stream)
    }

    /// The next payload of audio; `nil` for none.
    private func takePayload(into bytes: inout [UInt8]) -> SessionAction? {
        for index in receiving.indices {
            guard let stream = receiving[index], let payload = stream.takePayload(into: &bytes) else { continue }
            payloadsWaiting -= 1
            return .payload(of: stream.id, payload)
        }
        payloadsWaiting = 0
        return nil
    }

    /// Takes the streams of which a key frame is requested.
    package func takeKeyFrameRequests(into streams: inout [SendingStreamID]) {
        while keyFramesWanted > 0, let stream = takeKeyFrameRequest() { streams.append(stream) }
    }

    private func takeKeyFrameRequest() -> SendingStreamID? {
        for index in sending.indices {
            guard let stream = sending[index], stream.isKeyFrameWanted else { continue }
            stream.isKeyFrameWanted = false
            keyFramesWanted -= 1
            return stream.id
        }
        return nil
    }

    /// Does what is due by time alone; returns until when there is nothing to do, which is later than `now`, or `nil`
    /// if there was something.
    private func work(at now: MediaTime) -> MediaTime? {
        guard !hasLeft else { return .distantFuture }
        guard wakeTime <= now else { return wakeTime }
        guard !isStalled else { return nil }
        while let event = peer.nextEvent(at: now) { events.append(event) }
        noticeSilence(at: now)
        checkBreakers(at: now)
        releasePaced(at: now)
        releaseFrame(at: now)
        guard !hasLeft else { return nil }
        writeFeedback(at: now)
        guard released == nil else { return nil }
        var next = min(reports.next, peer.wakeTime)
        for time in wakeTimes { next = min(next, time) }
        next = min(next, arrivals.dueTime)
        next = min(next, congestionTime)
        next = min(next, breakerTime)
        wakeTime = next
        let isAnythingPending = !datagrams.isEmpty || !events.isEmpty || keyFramesWanted > 0
        return isAnythingPending || next <= now ? nil : next
    }

    /// Polls the streams that are due, until one releases a frame.
    private func releaseFrame(at now: MediaTime) {
        let count = wakeTimes.count
        for offset in 0..<count {
            var index = firstStream + offset
            if index >= count { index -= count }
            guard wakeTimes[index] <= now, let stream = receiving[index], let receiver = stream.receiver else {
                continue
            }
            stream.mayAsk = true
            areRequestsPossible = true
            if stream.attention.deadline <= now {
                arePausesDue = true
                // Only this is due while a frame is decoded.
                if stream.isDecoding { continue }
            }
            // Swapped out and back, so that the memory is reused.
            var bytes: [UInt8] = []
            swap(&bytes, &releasedBytes)
            let isFrame = nextFrame(of: receiver, stream, at: now, into: &bytes)
            swap(&bytes, &releasedBytes)
            guard isFrame else {
                note(stream.wakeTime, of: stream)
                continue
            }
            wakeTimes[index] = stream.attention.deadline
            (released, lastReleased) = (stream.id, receiver)
            stream.isDecoding = true
            firstStream = index + 1
            return
        }
    }

    /// Whether the stream releases a frame now; reports its requests as events.
    private func nextFrame(
        of receiver: StreamReceiver, _ stream: ReceivingStream, at now: MediaTime, into bytes: inout [UInt8]
    ) -> Bool {
        for _ in 0..<PollBound.limit {
            switch receiver.next(at: now, into: &bytes) {
            case .decode: return true
            case .requestPackets(let count):
                if count > 0, stream.isAsked { events.append(.packetsRequested(of: stream.id, count: count)) }
            case .requestKeyFrame:
                if stream.isAsked { events.append(.keyFrameRequested(of: stream.id)) }
            case .wait: return false
            case .failed(let count):
                fail(.internalError(pollsWithoutProgress: count), at: now)
                return false
            }
        }
        fail(.internalError(pollsWithoutProgress: PollBound.limit), at: now)
        return false
    }
}
