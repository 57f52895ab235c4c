public import RillCore
import RillImage

/// A clip as a source for a live call. At its end it stops, holds its last frame, or loops.
///
/// ```swift
/// let clip = try LiveClip(atEnd: .loop) { try Clip.open("waiting-room.y4m") }
/// switcher.change(to: clip)
/// ```
///
/// Capture times always increase. Until the clip ends, they are its own. A held frame gets new times at the clip's
/// rate. When the clip loops, its first frame is due when the last one has been shown for its duration. That is one
/// interval of the clip's rate, or the duration of the frame before it if the clip has no rate, and at least a
/// millisecond. That first frame is marked as a discontinuity (``/RillCore/VideoFrame/isDiscontinuity``), so that
/// every layer sends a key frame. A clip of one frame is held instead of looped.
///
/// It reads no clock. A live driver and ``SourceSwitcher`` pace it by its timestamps, like the clip itself. In
/// virtual time it returns the same frames. With ``Ending/hold`` and ``Ending/loop`` it never ends, so its driver
/// must stop it.
///
/// One owner, one thread at a time. Cost: nothing per frame. Holding a frame occupies one of the clip's buffers; if
/// the clip has no other, the frame is copied.
public final class LiveClip: FrameSource {
    /// The behavior after a clip's last frame.
    public enum Ending: Sendable, Hashable, CaseIterable {
        /// The source ends, and with it a call that has no other source (see ``SourceSwitcher``).
        case end
        /// The last frame is repeated.
        case hold
        /// The clip is reopened and played from its first frame.
        case loop
    }

    /// An event of a clip.
    public enum Event: Sendable, Hashable {
        /// Its last frame was returned; nothing new follows.
        case ended
        /// It starts again, for the `times`th time: 2 is the second playback.
        case playedAgain(times: Int)
    }

    private let ending: Ending
    private let open: @Sendable () throws -> any FrameSource
    private let onEvent: (@Sendable (Event) -> Void)?
    private var clip: any FrameSource
    private var phase = Phase.playing
    private var timeline = ClipTimeline()
    /// The number of playbacks so far, and of frames in the current one.
    private var (playings, frameCount) = (1, 0)
    /// The last frame, if it may have to be held.
    private var kept: VideoFrame?
    private var isKeptApart = false
    private var ownPool = ResizingPool(capacity: 1)

    private enum Phase { case playing, holding, ended }

    /// Opens a clip.
    ///
    /// - Parameters:
    ///   - ending: what happens after its last frame.
    ///   - onEvent: called with each event, on the thread that calls ``next()``.
    ///   - open: opens the clip: at once, and for each further playback on the thread that calls ``next()``. A source
    ///     that is itself live, such as a camera, has no end: passing one traps.
    /// - Throws: errors of `open`.
    public init(
        atEnd ending: Ending, onEvent: (@Sendable (Event) -> Void)? = nil,
        open: @escaping @Sendable () throws -> any FrameSource
    ) throws {
        self.ending = ending
        self.onEvent = onEvent
        self.open = open
        clip = try open()
        precondition(!clip.format.isLive, "a live clip needs a source that is not live")
    }

    /// The size and rate of the clip. The number of frames is known only with ``Ending/end``.
    public var format: SourceFormat {
        var format = clip.format
        if ending != .end { format.frameCount = nil }
        return format
    }

    /// Returns the next frame, and after the clip's last one whatever ``Ending`` selects. A clip without frames ends
    /// in any case.
    ///
    /// - Throws: errors of the clip. If it cannot be reopened, that error is thrown once, and the source has ended.
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
        // If the clip loops, only a single frame is ever held.
        kept = ending == .hold || (ending == .loop && frameCount == 1) ? frame : nil
        isKeptApart = false
        var frame = frame
        frame.captureTime = time
        if frameCount == 1, playings > 1 { frame.isDiscontinuity = true }
        return .frame(frame)
    }

    /// Handles the end of the clip.
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
        // A clip that has become empty ends with this call: its frame count is 0.
        return try next()
    }

    private func holdFrame() -> SourceOutput {
        guard var frame = kept, let time = timeline.hold(clip.format.frameRate) else { return end() }
        frame.captureTime = time
        frame.isDiscontinuity = false
        return .frame(frame)
    }

    private func end() -> SourceOutput {
        // When a frame was held, the end of the clip has already been reported.
        if phase == .playing { onEvent?(.ended) }
        phase = .ended
        kept = nil
        return .end
    }

    /// Returns the last frame's buffer to the clip, which may have no other.
    private func keepApart() throws {
        guard let frame = kept, !isKeptApart else { return }
        // The pool's only frame is free: its previous content is no longer kept, and was never returned to a caller.
        let pool = try ownPool.pool(for: frame.resolution)
        guard let copy = frame.format == .i420 ? frame.copied(into: pool) : frame.convertedToI420(into: pool) else {
            return
        }
        kept = copy
        isKeptApart = true
    }
}
