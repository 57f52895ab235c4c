import RillCore
import RillRTP
import RillSession

/// A layer of a published stream: its recent frames, its rates, and who waits for its key frame.
struct PublishedLayer {
    /// The publisher's stream.
    let id: ReceivingStreamID
    /// Its name: the RID, or `high` if there is only one.
    let name: String
    /// The size of its newest picture; `nil` before the first.
    private(set) var resolution: Resolution?
    private(set) var recent = RecentFrames()
    private(set) var keyFrameCount = 0
    private(set) var frameCount = 0
    /// When its last frame arrived.
    private(set) var lastArrival = MediaTime(nanoseconds: .min / 2)
    private var requestTimer = KeyFrameRequestTimer()
    private var meter = LayerMeter()
    private var numbering = FrameRenumbering()

    init(_ id: ReceivingStreamID, name: String) { (self.id, self.name) = (id, name) }

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
        meter.add(byteCount: payload.count, at: now)
        recent.append(published, payload)
        return published
    }

    /// Whether frames of it arrive, or did until two seconds ago.
    func isRunning(at now: MediaTime) -> Bool { now - lastArrival < KeyFrameRequester.stopTimeout }

    /// Notes that somebody waits for a key frame.
    mutating func wantKeyFrame() { requestTimer.want() }

    /// Notes that the publisher was asked for a key frame.
    mutating func noteRequest(at now: MediaTime) { requestTimer.noteRequest(at: now) }

    /// When to ask the publisher for a key frame; in the distant future for not at all.
    var requestTime: MediaTime { requestTimer.dueTime(lastArrival: lastArrival) }

    /// Frames and bits per second, over the last one to two seconds.
    func rates(at now: MediaTime) -> (frames: Double, bits: Double) { meter.rates(at: now) }

    /// The pixels of its pictures, by which layers are ordered.
    var pixelCount: Int { resolution.map { $0.width * $0.height } ?? 0 }
}
