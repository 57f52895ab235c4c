public import RillCore
import RillReceive

extension RTPSession {
    /// Says what to do at `now`; to be asked until it says to wait.
    ///
    /// - Parameter bytes: of the datagram to transmit, or the frame to decode. Give an array that was used before: its memory
    ///   is used again.
    public func poll(at now: MediaTime, into bytes: inout [UInt8]) -> SessionAction {
        begin(at: now)
        while true {
            if let packet = datagrams.take(into: &bytes, numberedFrom: &transportNumber) {
                counts.packetsSent += 1
                counts.bytesSent += packet.byteCount
                return .transmit(packet)
            }
            if let action = nextAction(into: &bytes) { return action }
            if let time = work(at: now) { return .wait(until: time) }
        }
    }

    /// Sends all datagrams that wait, in their order and without another copy: for who takes many at once, and would not be told
    /// of each by ``poll(at:into:)``. The sink may call back into the session.
    public func transmit(to packets: some PacketSink) {
        guard !datagrams.isEmpty else { return }
        var queue = spareDatagrams.popLast() ?? DatagramQueue()
        exchangeDatagrams(&queue)
        queue.handOut(to: packets)
        spareDatagrams.append(queue)
    }

    /// The same for a driver that takes datagrams with ``exchangeDatagrams(_:)``: nothing is said of them here.
    package func pollBesideDatagrams(at now: MediaTime, into bytes: inout [UInt8]) -> SessionAction {
        begin(at: now)
        while true {
            if let action = nextAction(into: &bytes) { return action }
            if let time = work(at: now) { return .wait(until: time) }
        }
    }

    /// When to poll next if nothing comes before; long past where something waits to be done.
    package var nextPoll: MediaTime {
        let waits = !datagrams.isEmpty || !events.isEmpty || keyFramesWanted > 0 || released != nil
        if waits { return MediaTime(nanoseconds: .min) }
        return hasLeft ? .distantFuture : wakeTime
    }

    /// Takes all datagrams that wait, for a driver that hands them out when nobody is inside the session any more.
    ///
    /// - Parameter spare: an empty queue, which takes the place of the one that is given.
    package func exchangeDatagrams(_ spare: inout DatagramQueue) {
        guard !datagrams.isEmpty else { return }
        note(datagrams)
        datagrams.seal(numberedFrom: &transportNumber)
        swap(&datagrams, &spare)
    }

    /// What is there to be done already, besides datagrams.
    private func nextAction(into bytes: inout [UInt8]) -> SessionAction? {
        if keyFramesWanted > 0, let stream = takeKeyFrameRequest() { return .makeKeyFrame(of: stream) }
        if let event = events.next() { return .event(event) }
        guard let (frame, stream) = released else { return nil }
        released = nil
        swap(&bytes, &releasedBytes)
        return .decode(frame, of: stream)
    }

    /// Takes the streams of which a key frame is wanted.
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

    /// Does what time alone brings about; if there was nothing to do, until when that holds.
    private func work(at now: MediaTime) -> MediaTime? {
        guard !hasLeft else { return .distantFuture }
        guard wakeTime <= now else { return wakeTime }
        while let event = peer.nextEvent(at: now) { events.append(event) }
        releaseFrame(at: now)
        writeFeedback(at: now)
        guard released == nil else { return nil }
        var next = min(reports.next, peer.wakeTime)
        for index in receiving.indices { if let stream = receiving[index] { next = min(next, stream.wakeTime) } }
        wakeTime = next
        return nil
    }

    /// Asks the streams that are due, until one gives a frame.
    private func releaseFrame(at now: MediaTime) {
        let count = receiving.indices.count
        for offset in 0..<count {
            var index = firstStream + offset
            if index >= count { index -= count }
            guard let stream = receiving[index], stream.wakeTime <= now, let receiver = stream.receiver else {
                continue
            }
            stream.mayAsk = true
            let step = receiver.next(at: now, into: &releasedBytes) { note($0, of: stream) }
            guard case .decode(let frame) = step else { continue }
            released = (frame, stream.id)
            stream.isDecoding = true
            firstStream = index + 1
            return
        }
    }

    private func note(_ event: ReceiveEvent, of stream: ReceivingStream) {
        guard !stream.isMuted else { return }
        switch event {
        case .released: break
        case .packetsRequested(let count): events.append(.packetsRequested(of: stream.id, count: count))
        case .keyFrameRequested: events.append(.keyFrameRequested(of: stream.id))
        }
    }

    private func note(_ datagrams: DatagramQueue) {
        counts.packetsSent += datagrams.count
        counts.bytesSent += datagrams.byteCount
        counts.packetsDropped += datagrams.dropped
        datagrams.dropped = 0
    }
}
