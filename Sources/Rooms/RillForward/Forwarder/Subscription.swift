import RillCore
import RillPeer
import RillSession

/// What a member is sent of one stream at a time: the layer, and how its frames are numbered and timed.
///
/// It is a slot of the member's session: with one SSRC, one clock and one sequence of numbers, whichever stream it
/// shows.
final class Subscription {
    /// Whose it is.
    let member: ICEPeerID
    /// The stream of the member's session.
    let sending: SendingStreamID
    /// The stream that it shows; `nil` for none.
    private(set) var stream: ForwardedStream?
    /// The codecs that it can decode.
    let codecs: [VideoCodec]
    /// The codec that was last reported as one that it cannot decode; `nil` once frames come that it can.
    private(set) var unavailable: VideoCodec?
    /// The layer that it gets whatever its network carries, by name; `nil` for what fits.
    var requested: String?
    /// What the member wants of the stream.
    private(set) var wish = StreamWish()
    /// Another one after each change of that.
    private(set) var wishNumber = 0
    /// Whether the network does not carry even its smallest layer.
    private(set) var isPaused = false
    /// The index of the layer that it gets; `nil` before its first frame, and after a change of the publisher.
    private(set) var current: Int?
    /// The index of the layer that it is to get, from that layer's next key frame on.
    private(set) var target: Int?
    /// Whether it needs a key frame before anything else.
    private(set) var isBroken = true
    var counts = ForwardCounts()

    /// Since when a key frame that it needs may be asked for; `nil` while it needs none.
    private var waitStart: MediaTime?
    /// For tests: told how long it waited for each key frame.
    var recordWait: ((MediaDuration) -> Void)?

    private var timeline = ViewerTimeline()
    /// The time of the newest frame on the slot's clock, and on its publisher's wall clock.
    private var alignment: (time: MediaTime, wallClock: NTPTimestamp)?
    /// From the layer's numbers to those of the member's session.
    private var numberOffset: Int64 = 0
    private var nextNumber: Int64 = 0
    /// The number of the newest key frame that was sent, in its layer.
    private var newestKeyFrame: Int64 = -1
    /// When that left.
    private var keyFrameTime = MediaTime(nanoseconds: .min / 2)
    /// How often its requests for key frames count.
    private var requester = KeyFrameRequester(roundTripTime: .zero)
    /// Whether the next frame is of another layer or publisher than the last one.
    private var isChange = false
    /// No key frame is asked for before that time: its network did not carry the last ones.
    private var holdUntil = MediaTime(nanoseconds: .min / 2)
    private var hold = Subscription.shortestHold

    /// Since when more waits than its network should have to carry.
    private var obstacleSince: MediaTime?
    /// Until when what waits is what it got to join.
    private var graceEnd = MediaTime(nanoseconds: .min)

    /// How long this is tolerated. A skipped frame costs a key frame, and a short excess costs little.
    private static let overloadTimeout = MediaDuration.milliseconds(200)
    private static let shortestHold = MediaDuration.milliseconds(500)
    private static let longestHold = MediaDuration.seconds(8)

    init(of member: ICEPeerID, sending: PeerSendingStream) {
        (self.member, self.sending) = (member, sending.id)
        codecs = sending.description.videoCodecs
    }

    /// Shows another stream from its next key frame on; `nil` for none.
    func show(_ other: ForwardedStream?) {
        guard stream !== other else { return }
        stream?.subscriptions.removeAll { $0 === self }
        stream = other
        other?.subscriptions.append(self)
        (requested, wish, isPaused, unavailable) = (nil, StreamWish(), false, nil)
        wishNumber += 1
        restart()
    }

    /// Notes what the member wants of the stream.
    func want(_ wish: StreamWish) {
        guard wish != self.wish else { return }
        self.wish = wish
        wishNumber += 1
    }

    /// Sets the layer that it is to get; the present one goes on until that comes.
    func aim(at layer: Int?) {
        isPaused = false
        guard layer != target else { return }
        (target, waitStart) = (layer, nil)
        // What the other layer's key frames met says nothing of this one's.
        holdUntil = MediaTime(nanoseconds: .min / 2)
    }

    /// Nothing is sent until it is aimed at a layer again.
    func pause() {
        guard !isPaused else { return }
        waitStart = nil
        (current, target, isPaused, isBroken, isChange, newestKeyFrame) = (nil, nil, true, true, true, -1)
    }

    /// Whether it waits for a key frame of a layer.
    func awaits(_ layer: Int) -> Bool { layer == target && (isBroken || layer != current) }
    /// Whether a key frame may be asked for on its behalf.
    func mayAsk(at now: MediaTime) -> Bool { now >= holdUntil }
    /// Notes that it waits for a key frame, which may be asked for from that time on.
    func wait(from time: MediaTime) { waitStart = waitStart ?? time }

    /// Notes that another publisher has taken over: the layers are others.
    func restart() {
        (current, target, isBroken, isChange, newestKeyFrame) = (nil, nil, true, true, -1)
        (alignment, waitStart) = (nil, nil)
        timeline.restart()
    }

    /// A moment of the publisher's wall clock on the slot's clock, so that sound is reported in time with pictures;
    /// `nil` if that is not known, or too far from the newest frame to be true.
    func time(of wallClock: NTPTimestamp) -> MediaTime? {
        guard let alignment else { return nil }
        let step = MediaDuration(nanoseconds: wallClock.nanoseconds(since: alignment.wallClock))
        return abs(step.nanoseconds) < Subscription.longestStep.nanoseconds ? alignment.time + step : nil
    }

    private static let longestStep = MediaDuration.seconds(10)

    /// Notes that a layer that it gets, or is to get, has gone over to a codec that it cannot decode.
    ///
    /// - Returns: whether that is new.
    func lose(_ codec: VideoCodec) -> Bool {
        (current, isBroken, isChange, newestKeyFrame) = (nil, true, true, -1)
        defer { unavailable = codec }
        return unavailable != codec
    }

    /// Notes that the other side needs a key frame, unless one is on its way that it cannot have seen when it asked, or
    /// it asks too often: each key frame costs the others bitrate.
    ///
    /// - Parameters:
    ///   - roundTrip: the round trip to the other side.
    ///   - now: the current time.
    /// - Returns: whether it needs one.
    func breakOff(_ roundTrip: MediaDuration, at now: MediaTime) -> Bool {
        guard now - keyFrameTime > roundTrip else { return false }
        requester.roundTripTime = roundTrip
        requester.noteFailure(at: now)
        guard requester.nextRequest(frameInterval: .zero, lastArrival: now) <= now else { return false }
        requester.noteRequest(at: now)
        isBroken = true
        return true
    }

    /// Sends a frame of a layer, if it is for this slot.
    func send(
        _ published: PublishedFrame, _ payload: Span<UInt8>, of layer: Int, over connection: PeerConnection,
        at now: MediaTime
    ) {
        let isAwaited = published.frame.isKey && awaits(layer)
        guard isAwaited || (layer == current && !isBroken) else { return }
        if connection.session?.allowance(at: now)?.obstacle == nil {
            obstacleSince = nil
        } else {
            let since = obstacleSince ?? now
            obstacleSince = since
            // A frame that waits in the bottleneck's queue delays all others.
            if now - since >= Subscription.overloadTimeout, now >= graceEnd { return leaveOut(of: layer, at: now) }
        }
        if isAwaited {
            if let waitStart { recordWait?(max(.zero, now - waitStart)) }
            begin(with: published, of: layer)
        }
        let time = timeline.time(of: published, isChange: isChange)
        transmit(published, payload, at: time, over: connection, now)
    }

    /// Sends the frames of a layer since its last key frame.
    ///
    /// - Returns: whether it follows the layer now: not if its network would take too long for these frames.
    func join(_ layer: Int, _ recent: RecentFrames, over connection: PeerConnection, at now: MediaTime) -> Bool {
        guard recent.isFresh(at: now), let keyFrame = recent.keyFrame, let newest = recent.frames.last else {
            return false
        }
        guard !recent.isKnown(to: member) else { return false }
        // It may have had them: then a new key frame is worth more.
        let isRepetition = layer == current && keyFrame == newestKeyFrame
        if let allowance = connection.session?.allowance(at: now) {
            guard allowance.obstacle == nil else { return false }
            let seconds = Double(8 * recent.byteCount) / Double(max(allowance.bitrate.bitsPerSecond, 1))
            guard seconds < (isRepetition ? Subscription.repetitionTime : Subscription.joiningTime) else {
                return false
            }
        }
        begin(with: recent.frames[0], of: layer)
        graceEnd = now + Subscription.grace
        for index in recent.frames.indices where !isBroken {
            let time = timeline.time(
                of: recent.frames[index], behind: newest, age: recent.frames.count - 1 - index)
            transmit(recent.frames[index], recent.payload(index).span, at: time, over: connection, now)
        }
        return !isBroken
    }

    /// What a network may need for the frames of one who joins, in seconds. Beyond that, a new key frame is sooner
    /// there.
    private static let joiningTime = 1.0
    private static let repetitionTime = 0.5
    private static let grace = MediaDuration.milliseconds(600)

    private func begin(with published: PublishedFrame, of layer: Int) {
        numberOffset = nextNumber - published.frame.number
        newestKeyFrame = published.frame.number
        isChange = isChange || layer != current
        if layer != current { counts.layerChanges += 1 }
        (current, isBroken, unavailable, waitStart) = (layer, false, nil, nil)
    }

    private func transmit(
        _ published: PublishedFrame, _ payload: Span<UInt8>, at time: MediaTime, over connection: PeerConnection,
        _ now: MediaTime
    ) {
        var frame = published.frame
        frame.renumber(by: numberOffset)
        frame.captureTime = time
        guard connection.send(frame, payload: payload, of: sending, at: now) != nil else {
            // It is paused, or not connected any more.
            isBroken = true
            return
        }
        if let wallClock = published.wallClock { alignment = (time, wallClock) }
        isChange = false
        nextNumber = frame.number + 1
        counts.frames += 1
        counts.bytes += payload.count
        guard frame.isKey else { return }
        if let current { stream?.layers[current].note(holder: member) }
        counts.keyFrames += 1
        keyFrameTime = now
        requester.noteKeyFrame(at: now)
    }

    private func leaveOut(of layer: Int, at now: MediaTime) {
        counts.framesLeftOut += 1
        waitStart = nil
        guard !isBroken else { return }
        isBroken = true
        // While another layer is awaited, the present one ends here.
        if layer == target {
            let isSoon = now - holdUntil < Subscription.longestHold
            hold = isSoon ? min(hold * 2, Subscription.longestHold) : Subscription.shortestHold
            holdUntil = now + hold
        }
    }
}
