import RillCore
import RillReceive
import RillState

extension SessionCore {
    /// Says what to do at `now`; to be asked until it says to wait.
    ///
    /// - Parameter bytes: of the datagram to transmit, or the frame to decode. Give an array that was used before: its memory
    ///   is used again.
    mutating func poll(at now: MediaTime, into bytes: inout [UInt8]) -> SessionAction {
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

    /// All datagrams that wait, sealed; `nil` for none. To be given back when they were handed out.
    mutating func takeDatagrams() -> DatagramQueue? {
        guard !datagrams.isEmpty else { return nil }
        var queue = spareDatagrams.popLast() ?? DatagramQueue()
        exchangeDatagrams(&queue)
        return queue
    }

    mutating func giveBack(_ queue: DatagramQueue) { spareDatagrams.append(queue) }

    /// The same for a driver that takes datagrams with ``exchangeDatagrams(_:)``: nothing is said of them here.
    mutating func pollBesideDatagrams(at now: MediaTime, into bytes: inout [UInt8]) -> SessionAction {
        begin(at: now)
        while true {
            if let action = nextAction(into: &bytes) { return action }
            if let time = work(at: now) { return .wait(until: time) }
        }
    }

    /// When to poll next if nothing comes before; long past where something waits to be done.
    var nextPoll: MediaTime {
        let waits = !datagrams.isEmpty || !events.isEmpty || keyFramesWanted > 0 || released != nil
        if waits { return MediaTime(nanoseconds: .min) }
        return hasLeft ? .distantFuture : wakeTime
    }

    /// Takes all datagrams that wait, for a driver that hands them out when nobody is inside the session any more.
    ///
    /// - Parameter spare: an empty queue, which takes the place of the one that is given.
    mutating func exchangeDatagrams(_ spare: inout DatagramQueue) {
        guard !datagrams.isEmpty else { return }
        note(datagrams)
        datagrams.seal(numberedFrom: &transportNumber)
        swap(&datagrams, &spare)
    }

    /// What is there to be done already, besides datagrams.
    @inline(__always)
    private mutating func nextAction(into bytes: inout [UInt8]) -> SessionAction? {
        if keyFramesWanted > 0, let stream = takeKeyFrameRequest() { return .makeKeyFrame(of: stream) }
        if let event = events.next() { return .event(event) }
        guard let stream = released else { return nil }
        released = nil
        swap(&bytes, &releasedBytes)
        return .decode(of: stream)
    }

    /// Takes the streams of which a key frame is wanted.
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

    /// Does what time alone brings about; if there was nothing to do, until when that holds.
    private mutating func work(at now: MediaTime) -> MediaTime? {
        guard !hasLeft else { return .distantFuture }
        guard wakeTime <= now else { return wakeTime }
        while let event = peer.nextEvent(at: now) { events.append(event) }
        releaseFrame(at: now)
        writeFeedback(at: now)
        guard released == nil else { return nil }
        var next = min(reports.next, peer.wakeTime)
        for time in wakeTimes { next = min(next, time) }
        wakeTime = next
        return nil
    }

    /// Asks the streams that are due, until one gives a frame.
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
                // That alone is due while a frame is decoded.
                if stream.isDecoding { continue }
            }
            // Taken out and put back, so that its memory stays one.
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

    /// Whether the stream gives a frame now; what it asks for is told.
    private mutating func nextFrame(
        of receiver: StreamReceiver, _ stream: ReceivingStream, at now: MediaTime, into bytes: inout [UInt8]
    ) -> Bool {
        while true {
            switch receiver.cell.state.next(at: now, into: &bytes) {
            case .decode: return true
            case .requestPackets(let count):
                if count > 0, stream.isAsked { events.append(.packetsRequested(of: stream.id, count: count)) }
            case .requestKeyFrame:
                if stream.isAsked { events.append(.keyFrameRequested(of: stream.id)) }
            case .wait: return false
            }
        }
    }

    private mutating func note(_ datagrams: DatagramQueue) {
        counts.packetsSent += datagrams.count
        counts.bytesSent += datagrams.byteCount
        counts.packetsDropped += datagrams.dropped
        datagrams.dropped = 0
    }
}
