import RillCodec
import RillCore
import RillReceive

/// Records the events of one layer of a session, from all threads that produce them.
final class LayerRecorder: Sendable {
    private let rid: StreamLayer.RID
    private let state = Monitor(State())

    fileprivate struct State: ~Copyable {
        var log = IntervalLog()
        var meter = FreezeMeter()
        var gallery = FreezeGallery()
        /// The longest freezes, in chronological order.
        var freezes: [Freeze] = []
        var omittedFreezes = 0
        var firstShown: MediaTime?
        var lastShown: MediaTime?
        var lastSent: MediaTime?
        /// The newest sequence number of the layer's own stream.
        var newest: SequenceNumber?
    }

    /// The most freezes whose times are kept.
    static let freezeCapacity = 512

    init(_ layer: LayerSettings) {
        rid = layer.rid
    }

    // MARK: Sending side

    /// Notes an RTP packet that was handed to the network.
    func sent(byteCount: Int, _ purpose: PacketPurpose, isLost: Bool, at now: MediaTime) {
        state.withLock { state in
            let isAgain = state.isRepetition(purpose)
            let isFEC = if case .fec = purpose { true } else { false }
            state.log.change(at: now) { interval in
                interval.packetsSent += 1
                interval.packetsLost += isLost ? 1 : 0
                interval.bytesSent += Int64(byteCount)
                interval.retransmittedBytes += isAgain ? Int64(byteCount) : 0
                interval.fecBytes += isFEC ? Int64(byteCount) : 0
            }
        }
    }

    /// Notes that all packets of a frame were handed to the network.
    func sent(_ frame: EncodedFrame) {
        guard let now = frame.timestamps[.sent] else { return }
        state.withLock { state in
            state.lastSent = now
            state.log.change(at: now) { interval in
                interval.framesSent += 1
                interval.keyFramesSent += frame.isKey ? 1 : 0
            }
        }
    }

    // MARK: Receiving side

    /// Notes an RTP packet that arrived.
    func received(byteCount: Int, at now: MediaTime) {
        state.withLock { state in state.log.change(at: now) { $0.bytesReceived += Int64(byteCount) } }
    }

    /// Notes an event of the jitter buffer.
    func note(_ event: ReceiveEvent, at now: MediaTime) {
        state.withLock { state in
            state.log.change(at: now) { interval in
                switch event {
                case .keyFrameRequested: interval.keyFramesRequested += 1
                case .packetsRequested(let count):
                    interval.packetRequests += 1
                    interval.packetsRequested += Int32(clamping: count)
                case .released(let frame): interval.note(frame)
                }
            }
        }
    }

    /// Notes a shown picture, with the timestamps of all known stages.
    func shown(_ picture: VideoFrame) {
        guard let now = picture.timestamps[.shown] else { return }
        let delay = picture.timestamps[.captured].map { (now - $0).milliseconds }
        state.withLock { state in
            state.log.change(at: now) { interval in
                interval.framesShown += 1
                if let delay { interval.frameDelay.add(delay) }
            }
            let freeze = state.meter.freeze(endingAt: now, after: state.lastShown)
            state.meter.shown(at: now)
            state.firstShown = state.firstShown ?? now
            state.lastShown = now
            state.gallery.add(picture, ending: freeze)
            if let freeze { state.add(freeze) }
        }
    }

    // MARK: Result

    /// Returns the events so far.
    func timeline() throws -> LayerTimeline {
        try state.withLock { state in
            LayerTimeline(
                rid: rid, intervalLength: state.log.length, intervals: state.log.intervals, freezes: state.freezes,
                omittedFreezes: state.omittedFreezes, picturedFreezes: try state.gallery.pictured(),
                firstShown: state.firstShown, lastShown: state.lastShown, lastSent: state.lastSent)
        }
    }
}

extension LayerRecorder.State {
    fileprivate mutating func add(_ freeze: Freeze) {
        freezes.append(freeze)
        guard freezes.count > LayerRecorder.freezeCapacity else { return }
        omittedFreezes += 1
        if let shortest = freezes.indices.min(by: { freezes[$0].duration < freezes[$1].duration }) {
            freezes.remove(at: shortest)
        }
    }
}

extension FreezeMeter {
    /// The freeze that a picture shown now ends, by either rule; `nil` if it ends none.
    fileprivate func freeze(endingAt now: MediaTime, after last: MediaTime?) -> Freeze? {
        guard let last else { return nil }
        let gap = now - last
        let freeze = Freeze(
            start: last, end: now, isFreeze: freezeThreshold.map { gap >= $0 } ?? false,
            isLongGap: gap > FreezeMeter.longGap)
        return freeze.isFreeze || freeze.isLongGap ? freeze : nil
    }
}

extension TimelineInterval {
    fileprivate mutating func note(_ frame: ReceivedFrame) {
        if let released = frame.frame.timestamps[.released], let arrived = frame.frame.timestamps[.arrived] {
            bufferDelay.add((released - arrived).milliseconds)
        }
        targetDelay.add(frame.targetDelay.milliseconds)
        framesRepaired += frame.isRepaired ? 1 : 0
        framesLate += frame.isLate && frame.isShown ? 1 : 0
        framesDecodedOnly += frame.isShown ? 0 : 1
    }
}

extension LayerRecorder.State {
    /// Whether a packet was sent before: on the retransmission stream, or with a sequence number that is not the
    /// newest.
    fileprivate mutating func isRepetition(_ purpose: PacketPurpose) -> Bool {
        switch purpose {
        case .retransmission: return true
        case .media(let number), .fec(let number):
            if let newest, number.distance(since: newest) <= 0 { return true }
            newest = number
            return false
        }
    }
}
