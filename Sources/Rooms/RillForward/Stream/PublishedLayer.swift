import RillCore
import RillRTP
import RillSession

/// A layer of a published stream: its recent frames, its rates, and who waits for its key frame.
struct PublishedLayer {
    /// The publisher's stream.
    let id: ReceivingStreamID
    /// Its name: the RID, or `high` if there is only one.
    let name: String
    /// The codec of its newest key frame; before the first, the preferred one.
    private(set) var codec: VideoCodec
    /// The size of its newest picture; `nil` before the first, and ``RillCore/Resolution/unknown`` where nothing tells
    /// it.
    private(set) var resolution: Resolution?
    /// How often its packets have led to a request for a key frame, before the first picture.
    private var failureCount = 0
    private(set) var recent = RecentFrames()
    private(set) var keyFrameCount = 0
    private(set) var frameCount = 0
    /// When its last frame arrived.
    private(set) var lastArrival = MediaTime(nanoseconds: .min / 2)
    private var requestTimer = KeyFrameRequestTimer()
    private var meter = LayerMeter()
    private var numbering = FrameRenumbering()
    /// Whether anybody wants it.
    private(set) var interest = LayerInterest()
    /// The bits per second that it had when it was stopped.
    private var formerBits = 0.0
    /// Whether its publisher follows requests to pause it (RFC 7728). Another one is told by signaling.
    let isPausable: Bool

    init(_ id: ReceivingStreamID, name: String, _ codec: VideoCodec = .default, isPausable: Bool = false) {
        (self.id, self.name, self.codec, self.isPausable) = (id, name, codec, isPausable)
    }

    /// Takes the next frame, and numbers it.
    mutating func take(
        _ frame: EncodedFrame, _ payload: Span<UInt8>, wallClock: NTPTimestamp?, at now: MediaTime
    ) -> PublishedFrame {
        let published = PublishedFrame(frame: numbering.number(frame), wallClock: wallClock, arrival: now)
        if frame.isKey {
            resolution = frame.resolution
            keyFrameCount += 1
            requestTimer.noteKeyFrame(at: now)
        }
        (frameCount, lastArrival) = (frameCount + 1, now)
        interest.noteFrame()
        meter.add(byteCount: payload.count, at: now)
        recent.append(published, payload)
        return published
    }

    /// Goes over to another codec, with the key frame that comes next.
    mutating func change(to codec: VideoCodec) {
        self.codec = codec
        recent.removeAll()
    }

    /// Notes that a member was sent the newest key frame.
    mutating func note(holder member: ICEPeerID) { recent.note(holder: member) }

    /// Forgets the frames that were kept for those who join.
    mutating func forget() { recent.removeAll() }

    /// Whether frames of it arrive, or did until two seconds ago, or are about to.
    func isRunning(at now: MediaTime) -> Bool {
        now - lastArrival < KeyFrameRequester.stopTimeout || interest.isReturning(at: now)
    }

    /// Whether it brings frames, over the last one to two seconds, or is about to.
    func isLive(at now: MediaTime) -> Bool { meter.rates(at: now).frames > 0 || interest.isReturning(at: now) }

    /// Whether it can be sent to those who want it: it arrives, or its publisher was told that nobody does.
    func isAvailable(at now: MediaTime) -> Bool { interest.isStopped || isRunning(at: now) }

    /// Notes whether somebody wants it.
    ///
    /// - Returns: what its publisher is to be told; `nil` for nothing.
    mutating func update(isWanted: Bool, at now: MediaTime) -> LayerInterest.Change? {
        guard let change = interest.update(isWanted: isWanted, at: now) else { return nil }
        if change == .stop {
            formerBits = expectedBits(at: now)
            recent.removeAll()
        } else if now - lastArrival < KeyFrameRequester.stopTimeout {
            // It never stopped: a key frame is asked for, as always.
            interest.noteFrame()
        }
        return change
    }

    /// Notes that somebody waits for a key frame.
    mutating func wantKeyFrame() { requestTimer.want() }

    /// Notes that the publisher was asked for a key frame.
    mutating func noteRequest(at now: MediaTime) { requestTimer.noteRequest(at: now) }

    /// Notes that its packets have led to a request for a key frame.
    ///
    /// - Returns: whether it is time to say that no picture can be read: once, after requests at 0, 0.5, 1 and 2 s.
    mutating func noteFailure() -> Bool {
        guard resolution == nil else { return false }
        failureCount += 1
        return failureCount == 4
    }

    /// Whether the key frame with which it returns comes without a request.
    func isKeyFrameComing(at now: MediaTime) -> Bool { interest.isReturning(at: now) }

    /// When to ask the publisher for a key frame; in the distant future for not at all.
    var requestTime: MediaTime { requestTimer.dueTime(lastArrival: lastArrival) }

    /// Frames and bits per second, over the last one to two seconds.
    func rates(at now: MediaTime) -> (frames: Double, bits: Double) { meter.rates(at: now) }

    /// The bits per second to expect. What was measured for less than a second may be the first key frame alone: then
    /// at least what it had before a pause, or what pictures of this size usually take.
    func expectedBits(at now: MediaTime) -> Double {
        if interest.isReturning(at: now) { return formerBits }
        let measured = meter.rates(at: now).bits
        if meter.hasWholeSecond(at: now) { return measured }
        return max(measured, formerBits > 0 ? formerBits : Double(pixelCount) * PublishedLayer.usualBits)
    }

    /// Whether its pictures have more than 320x240.
    var isLarge: Bool { pixelCount > 320 * 240 }

    /// Bits per second for each pixel: 460 kbit/s for 640x480.
    private static let usualBits = 1.5

    /// Whether its pictures, fitted into a size, need not be enlarged.
    func covers(_ size: Resolution) -> Bool {
        resolution.map { $0.width >= size.width || $0.height >= size.height } ?? false
    }

    /// The pixels of its pictures, by which layers are ordered.
    var pixelCount: Int { resolution.map { $0.width * $0.height } ?? 0 }
}

/// Collects requests for a key frame of a layer, so that its publisher is asked once for all of them.
///
/// A key frame is many times as large as others, and everyone gets it: a viewer that asks within a second of the last
/// one waits until that is over. How often a request is repeated that nothing has answered is ``KeyFrameRequester``'s.
struct KeyFrameRequestTimer: Sendable {
    /// Whether somebody waits for a key frame.
    private(set) var isWanted = false
    private var requester = KeyFrameRequester(roundTripTime: KeyFrameRequestTimer.timeout)
    /// When the last key frame arrived.
    private var keyFrameTime = MediaTime(nanoseconds: .min / 2)

    /// The shortest time from one key frame to the next request. 1 s.
    static let spacing = MediaDuration.seconds(1)
    /// When a request is repeated for the first time that nothing has answered. 500 ms.
    static let timeout = MediaDuration.milliseconds(500)

    /// Notes that somebody waits for a key frame.
    mutating func want() { isWanted = true }

    /// Notes that a key frame arrived.
    mutating func noteKeyFrame(at now: MediaTime) {
        (isWanted, keyFrameTime) = (false, now)
        requester.noteKeyFrame(at: now)
    }

    /// Notes that the publisher was asked.
    mutating func noteRequest(at now: MediaTime) { requester.noteRequest(at: now) }

    /// When to ask the publisher; in the distant future if nobody waits, or if the layer has stopped and was asked
    /// since.
    ///
    /// - Parameter lastArrival: when the layer's last frame arrived.
    func dueTime(lastArrival: MediaTime) -> MediaTime {
        guard isWanted else { return .distantFuture }
        let allowed = requester.nextRequest(frameInterval: .zero, lastArrival: lastArrival)
        return max(allowed, keyFrameTime + KeyFrameRequestTimer.spacing)
    }
}

/// Measures the frame rate and the bitrate of a layer, over the last one to two seconds.
struct LayerMeter: Sendable {
    private var previous = Span()
    private var current = Span()

    private struct Span {
        var start: MediaTime?
        var end = MediaTime.zero
        var frames = 0
        var bytes = 0
    }

    private static let length = MediaDuration.seconds(1)

    /// Adds a frame that arrived.
    mutating func add(byteCount: Int, at now: MediaTime) {
        advance(to: now)
        if current.start == nil { current.start = now }
        current.frames += 1
        current.bytes += byteCount
    }

    private mutating func advance(to now: MediaTime) {
        guard let start = current.start, now - start >= LayerMeter.length else { return }
        current.end = now
        previous = now - start < LayerMeter.length * 2 ? current : Span()
        current = Span(start: now)
    }

    /// Whether the rates are those of a second at least.
    func hasWholeSecond(at now: MediaTime) -> Bool {
        (previous.start ?? current.start).map { now - $0 >= LayerMeter.length } ?? false
    }

    /// Frames and bits per second; zero where nothing has arrived for two seconds.
    func rates(at now: MediaTime) -> (frames: Double, bits: Double) {
        guard let first = previous.start ?? current.start, let start = current.start,
            now - start < LayerMeter.length * 2
        else { return (0, 0) }
        // Before half a second is over, one frame tells little.
        let seconds = max((now - first).seconds, 0.5)
        return (
            Double(previous.frames + current.frames) / seconds, 8 * Double(previous.bytes + current.bytes) / seconds
        )
    }
}

/// Counts the frames of a layer that arrived, without gaps: who gets all of them from a key frame on must not take the
/// publisher's losses for losses of its own.
struct FrameRenumbering: Sendable {
    /// The publisher's numbers of the newest frames, by ours modulo the capacity.
    private var known: [Int64] = []
    private var next: Int64 = 0

    /// Further back than any reference reaches.
    private static let capacity: Int64 = 64

    /// Numbers the next frame. References that are not known any more are left out.
    mutating func number(_ frame: EncodedFrame) -> EncodedFrame {
        var renumbered = frame
        let number = next
        next += 1
        renumbered.number = number
        var references = FrameReferences()
        for index in 0..<frame.references.count {
            if let known = find(frame.references[index], before: number) { references.append(known) }
        }
        renumbered.references = references
        if known.count < Int(FrameRenumbering.capacity) {
            known.append(frame.number)
        } else {
            known[Int(number % FrameRenumbering.capacity)] = frame.number
        }
        return renumbered
    }

    private func find(_ theirs: Int64, before number: Int64) -> Int64? {
        var ours = number - 1
        // Usually the previous one.
        while ours >= 0, ours >= number - Int64(known.count) {
            if known[Int(ours % FrameRenumbering.capacity)] == theirs { return ours }
            ours -= 1
        }
        return nil
    }
}
