import RillCore
import RillReceive

extension SessionCore {
    /// Returns what to do at `now`; call it until it returns `wait`.
    ///
    /// - Parameters:
    ///   - now: the current time.
    ///   - bytes: receives the frame to decode. Pass the same array each time: its memory is reused.
    ///   - write: is called with the datagram to transmit, and that array.
    @inline(__always)
    mutating func poll(
        at now: MediaTime, into bytes: inout [UInt8], _ write: (Span<UInt8>, inout [UInt8]) -> Void
    ) -> SessionAction {
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

    /// Takes all waiting datagrams, sealed; `nil` for none. Give the queue back after delivery.
    mutating func takeDatagrams() -> DatagramQueue? {
        guard !datagrams.isEmpty else { return nil }
        var queue = spareDatagrams ?? moreDatagrams.popLast() ?? DatagramQueue()
        spareDatagrams = nil
        exchangeDatagrams(&queue)
        return queue
    }

    mutating func giveBack(_ queue: DatagramQueue) {
        if spareDatagrams == nil { spareDatagrams = queue } else { moreDatagrams.append(queue) }
    }

    /// Polls like ``poll(at:into:_:)``, but leaves out datagrams, for a driver that takes them with
    /// ``exchangeDatagrams(_:)``.
    mutating func pollExceptDatagrams(at now: MediaTime, into bytes: inout [UInt8]) -> SessionAction {
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
    mutating func fail(_ error: SessionError, at now: MediaTime) {
        guard !hasLeft else { return }
        if case .internalError(let count) = error { counts.pollsWithoutProgress += count }
        leave(reason: "\(error)", at: now)
        events.append(.failed(error))
    }

    /// When to poll next if nothing arrives before; in the past if something waits to be done.
    var nextPoll: MediaTime {
        let waits =
            !datagrams.isEmpty || !events.isEmpty || keyFramesWanted > 0 || released != nil || payloadsWaiting > 0
        if waits { return MediaTime(nanoseconds: .min) }
        return hasLeft ? .distantFuture : wakeTime
    }

    /// Takes all waiting datagrams, for a driver that delivers them outside the session.
    ///
    /// - Parameter spare: an empty queue, which is exchanged for the full one.
    mutating func exchangeDatagrams(_ spare: inout DatagramQueue) {
        guard !datagrams.isEmpty else { return }
        let sealed = datagrams.seal(numberedFrom: &transportNumber)
        counts.packetsSent += sealed.count
        counts.bytesSent += sealed.byteCount
        counts.packetsDropped += sealed.dropped
        swap(&datagrams, &spare)
    }

    /// The next pending action, except datagrams.
    @inline(__always)
    private mutating func nextAction(into bytes: inout [UInt8]) -> SessionAction? {
        if keyFramesWanted > 0, let stream = takeKeyFrameRequest() { return .makeKeyFrame(of: stream) }
        if let event = events.next() { return .event(event) }
        if payloadsWaiting > 0, let action = takePayload(into: &bytes) { return action }
        guard let stream = released else { return nil }
        released = nil
        swap(&bytes, &releasedBytes)
        return .decode(of: stream)
    }

    /// The next payload of audio; `nil` for none.
    private mutating func takePayload(into bytes: inout [UInt8]) -> SessionAction? {
        for index in receiving.indices {
            guard let stream = receiving[index], let payload = stream.takePayload(into: &bytes) else { continue }
            payloadsWaiting -= 1
            return .payload(of: stream.id, payload)
        }
        payloadsWaiting = 0
        return nil
    }

    /// Takes the streams of which a key frame is requested.
    mutating func takeKeyFrameRequests(into streams: inout [SendingStreamID]) {
        while keyFramesWanted > 0, let stream = takeKeyFrameRequest() { streams.append(stream) }
    }

    private mutating func takeKeyFrameRequest() -> SendingStreamID? {
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
    private mutating func work(at now: MediaTime) -> MediaTime? {
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
    private mutating func releaseFrame(at now: MediaTime) {
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
    private mutating func nextFrame(
        of receiver: StreamReceiver, _ stream: ReceivingStream, at now: MediaTime, into bytes: inout [UInt8]
    ) -> Bool {
        for _ in 0..<PollBound.limit {
            switch receiver.cell.state.next(at: now, into: &bytes) {
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
