public import RillCore
import RillImage

/// A clip as a source in a live call, with a choice of what comes after its last frame: nothing, that frame held, or the
/// clip again.
///
///     let clip = try LiveClip(atEnd: .loop) { try Clip.open("waiting-room.y4m") }
///     switcher.change(to: clip)
///
/// Capture times always rise. They are the clip's own until it ends. A frame that is held gets new ones at the clip's rate.
/// Where the clip is played again, its first frame comes when the last one was shown for its time (one interval of the
/// clip's rate; of a clip without a rate, as long as the frame before it; a millisecond at least), and is marked as a
/// beginning (``RillCore/VideoFrame/isDiscontinuity``), so that every layer sends a key frame. A clip of one frame has
/// nothing to play again: it is held.
///
/// It reads no clock: a live driver and ``SourceSwitcher`` pace it by its stamps, like the clip itself, and in virtual time
/// it gives the same frames. With ``Ending/hold`` and ``Ending/loop`` it has no end, so that whoever drives it stops.
///
/// One owner, one thread at a time. Cost: nothing per frame; to hold a frame keeps one of the clip's buffers in use, and
/// where the clip has no other it is copied.
public final class LiveClip: FrameSource {
    /// What comes after a clip's last frame.
    public enum Ending: Sendable, Hashable, CaseIterable {
        /// Nothing: the source ends, and with it a call that has no other (see ``SourceSwitcher``).
        case end
        /// The last frame, again and again.
        case hold
        /// The clip, opened again and played from its first frame.
        case loop
    }

    /// What has happened to a clip.
    public enum Event: Sendable, Hashable {
        /// Its last frame was given; nothing new will come.
        case ended
        /// It begins again, for that time: 2 is the second.
        case playedAgain(times: Int)
    }

    private let ending: Ending
    private let open: @Sendable () throws -> any FrameSource
    private let onEvent: (@Sendable (Event) -> Void)?
    private var clip: any FrameSource
    private var phase = Phase.playing
    private var timeline = ClipTimeline()
    /// How often the clip was begun, and how many frames it has given since.
    private var (playings, frameCount) = (1, 0)
    /// The last frame, where it may have to be held.
    private var kept: VideoFrame?
    private var isKeptApart = false
    private var ownPool = FittingPool(capacity: 1)

    private enum Phase { case playing, holding, ended }

    /// Opens a clip.
    ///
    /// - Parameters:
    ///   - ending: what comes after its last frame.
    ///   - onEvent: is called with what happens, on the thread that calls ``next()``.
    ///   - open: opens the clip: at once, and on the thread that calls ``next()`` for each time that it is played again. A
    ///     source that is live by itself, such as a camera, is a violated precondition: it has no end.
    /// - Throws: what `open` throws.
    public init(
        atEnd ending: Ending, onEvent: (@Sendable (Event) -> Void)? = nil,
        open: @escaping @Sendable () throws -> any FrameSource
    ) throws {
        self.ending = ending
        self.onEvent = onEvent
        self.open = open
        clip = try open()
        precondition(!clip.format.isLive, "a live clip of a source that is live already")
    }

    /// Size and rate of the clip; the number of its frames only where they are all that come.
    public var format: SourceFormat {
        var format = clip.format
        if ending != .end { format.frameCount = nil }
        return format
    }

    /// The next frame; after the clip's last one what was chosen. A clip that gives no frame ends, whatever was chosen.
    ///
    /// - Throws: what the clip throws. One that cannot be opened again throws so once, and has then ended.
    public func next() throws -> SourceOutput {
        switch phase {
        case .playing: break
        case .holding: return holdFrame()
        case .ended: return .end
        }
        let output = try clip.next()
        switch output {
        case .frame(let frame): return play(frame)
        case .noBuffer:
            try keepApart()
            return output
        case .pending: return output
        case .end: return try clipEnded()
        }
    }

    private func play(_ frame: VideoFrame) -> SourceOutput {
        guard let time = timeline.place(frame.captureTime) else { return end() }
        frameCount += 1
        // Of a clip that is played again only a single frame will be held.
        kept = ending == .hold || (ending == .loop && frameCount == 1) ? frame : nil
        isKeptApart = false
        var frame = frame
        frame.captureTime = time
        if frameCount == 1, playings > 1 { frame.isDiscontinuity = true }
        return .frame(frame)
    }

    /// The clip has ended.
    private func clipEnded() throws -> SourceOutput {
        guard frameCount > 0, ending != .end else { return end() }
        if kept != nil {
            phase = .holding
            onEvent?(.ended)
            return holdFrame()
        }
        guard timeline.playAgain(clip.format.frameRate) else { return end() }
        do { clip = try open() } catch {
            phase = .ended
            throw error
        }
        (playings, frameCount) = (playings + 1, 0)
        onEvent?(.playedAgain(times: playings))
        // A clip that has become empty ends with this call: it counts no frame.
        return try next()
    }

    private func holdFrame() -> SourceOutput {
        guard var frame = kept, let time = timeline.hold(clip.format.frameRate) else { return end() }
        frame.captureTime = time
        frame.isDiscontinuity = false
        return .frame(frame)
    }

    private func end() -> SourceOutput {
        // Whoever held a frame has said that the clip has ended.
        if phase == .playing { onEvent?(.ended) }
        phase = .ended
        kept = nil
        return .end
    }

    /// Gives the clip the buffer of the last frame back, which may be the one that it lacks.
    private func keepApart() throws {
        guard let frame = kept, !isKeptApart else { return }
        // What the pool's only frame was for before is not kept any more, and was never given.
        let pool = try ownPool.pool(for: frame.resolution)
        guard let copy = frame.format == .i420 ? frame.copied(into: pool) : frame.convertedToI420(into: pool) else {
            return
        }
        kept = copy
        isKeptApart = true
    }
}
