import RillCodec
import RillCore
import RillReceive

/// Writes down what happens to one layer of a session, from all the threads on which it does.
final class LayerRecorder: Sendable {
    private let rid: StreamLayer.RID
    private let state = Monitor(State())

    fileprivate struct State: ~Copyable {
        var log = IntervalLog()
        var meter = FreezeMeter()
        var gallery = FreezeGallery()
        /// The longest freezes, in the order of time.
        var freezes: [Freeze] = []
        var freezesLeftOut = 0
        var firstShown: MediaTime?
        var lastShown: MediaTime?
        var lastSent: MediaTime?
        /// The newest number on the layer's own stream.
        var newest: SequenceNumber?
    }

    /// Freezes of which the times are kept.
    static let freezeCapacity = 512

    init(_ layer: LayerSettings) {
        rid = layer.rid
    }

    // MARK: The sending side

    /// An RTP packet was handed to the network.
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

    /// All packets of a frame were handed to the network.
    func sent(_ frame: EncodedFrame) {
        guard let now = frame.stamps[.sent] else { return }
        state.withLock { state in
            state.lastSent = now
            state.log.change(at: now) { interval in
                interval.framesSent += 1
                interval.keyFramesSent += frame.isKey ? 1 : 0
            }
        }
    }

    // MARK: The receiving side

    /// An RTP packet arrived.
    func received(byteCount: Int, at now: MediaTime) {
        state.withLock { state in state.log.change(at: now) { $0.bytesReceived += Int64(byteCount) } }
    }

    /// Something happened in the jitter buffer.
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

    /// A picture was shown, stamped with all stages that are known of it.
    func shown(_ picture: VideoFrame) {
        guard let now = picture.stamps[.shown] else { return }
        let delay = picture.stamps[.captured].map { (now - $0).milliseconds }
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

    // MARK: What came of it

    /// What happened, so far.
    func timeline() throws -> LayerTimeline {
        try state.withLock { state in
            LayerTimeline(
                rid: rid, intervalLength: state.log.length, intervals: state.log.intervals, freezes: state.freezes,
                freezesLeftOut: state.freezesLeftOut, picturedFreezes: try state.gallery.pictured(),
                firstShown: state.firstShown, lastShown: state.lastShown, lastSent: state.lastSent)
        }
    }
}

extension LayerRecorder.State {
    fileprivate mutating func add(_ freeze: Freeze) {
        freezes.append(freeze)
        guard freezes.count > LayerRecorder.freezeCapacity else { return }
        freezesLeftOut += 1
        if let shortest = freezes.indices.min(by: { freezes[$0].duration < freezes[$1].duration }) {
            freezes.remove(at: shortest)
        }
    }
}

extension FreezeMeter {
    /// The freeze that a picture shown now ends, by either rule; `nil` where it ends none.
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
        if let released = frame.frame.stamps[.released], let arrived = frame.frame.stamps[.arrived] {
            bufferDelay.add((released - arrived).milliseconds)
        }
        targetDelay.add(frame.targetDelay.milliseconds)
        framesRepaired += frame.isRepaired ? 1 : 0
        framesLate += frame.isLate && frame.isShown ? 1 : 0
        framesDecodedOnly += frame.isShown ? 0 : 1
    }
}

extension LayerRecorder.State {
    /// Whether a packet was sent before: on a stream of its own, or under a number that is not the newest.
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
