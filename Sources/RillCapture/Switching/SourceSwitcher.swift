public import RillCore

/// A live source that can be changed while it runs: front to back camera, camera to clip, camera to scene.
///
///     let switcher = SourceSwitcher(front)
///     let sender = LiveSender(pipeline, source: switcher.source, packets: socket)
///     …
///     switcher.change(to: back)      // from any thread
///
/// No frame of the old source comes after ``change(to:)``, but for one that is just being given. The first frame of the new
/// one is marked as a beginning (``RillCore/VideoFrame/isBeginning``), so that every layer sends a key frame. Sizes may
/// differ. The old source is let go on the thread that pulls: a camera is closed there.
///
/// Frames bear times of `CLOCK_MONOTONIC`, which rise from source to source: those of cameras are kept; clips and scenes
/// begin when they are changed to, and are paced by their stamps.
public final class SourceSwitcher: Sendable {
    private let state: Monitor<State>

    struct State {
        /// What is to be given from now on, until it was taken over.
        var next: Pending?
        /// Counts the changes: a frame that was pulled before the last one is thrown away.
        var generation = 0
        /// Whether somebody has the source.
        var isGiven = false
    }

    /// A source on its way to the thread that pulls.
    struct Pending: @unchecked Sendable {
        // Sendable by hand: it was `sending`, and goes to one thread alone.
        let source: any FrameSource
    }

    /// A switcher that begins with `first`, which belongs to whoever pulls from ``source`` from now on.
    public init(_ first: sending any FrameSource) {
        // Handed over, and not used here any more.
        nonisolated(unsafe) let first = first
        state = unsafe Monitor(State(next: Pending(source: first)))
        format = unsafe first.format
    }

    private let format: SourceFormat

    /// Changes to another source, which belongs to the thread that pulls from now on.
    public func change(to source: sending any FrameSource) {
        // Handed over, and not used here any more.
        nonisolated(unsafe) let source = source
        state.change { state in
            unsafe state.next = Pending(source: source)
            state.generation += 1
        }
    }

    /// The source that a driver gets. There is but one: asking for a second one is the programmer's mistake.
    public var source: SwitchedSource {
        let isFirst = state.withLock { state in
            defer { state.isGiven = true }
            return !state.isGiven
        }
        precondition(isFirst, "a switcher has one source, which somebody has already")
        return SwitchedSource(state, format)
    }
}

/// The frames of a ``SourceSwitcher``. One owner, one thread at a time.
public final class SwitchedSource: FrameSource {
    private let state: Monitor<SourceSwitcher.State>
    private let calls: any DeviceCalls
    private var current: (any FrameSource)?
    private var generation = 0
    private var timeline = SwitchTimeline()
    /// A frame whose time has not come.
    private var waiting: VideoFrame?
    private var isBeginning = false
    private let firstFormat: SourceFormat

    init(
        _ state: Monitor<SourceSwitcher.State>, _ format: SourceFormat, calls: any DeviceCalls = SystemDeviceCalls()
    ) {
        self.state = state
        self.calls = calls
        firstFormat = format
    }

    /// Size and rate of the source that gives frames at present, in real time, whatever it is by itself.
    public var format: SourceFormat {
        let format = current?.format ?? firstFormat
        return SourceFormat(resolution: format.resolution, frameRate: format.frameRate, isLive: true)
    }

    /// The next frame of the source at present. Where a clip ends, the end; a camera has none.
    public func next() throws -> SourceOutput {
        takeOver()
        guard let current else { return .end }
        if waiting == nil {
            let output = try current.next()
            guard case .frame(let frame) = output else { return output }
            waiting = timeline.placed(frame, isLive: current.format.isLive, at: calls.now)
        }
        guard let frame = waiting, waitUntil(frame.captureTime) else { return .pending }
        return give(frame)
    }

    /// Waits for a frame's time, a moment at the most, or until there is a change; `false` where it has not come.
    private func waitUntil(_ time: MediaTime) -> Bool {
        let deadline = min(time, calls.now + V4L2Camera.patience)
        let generation = generation
        _ = state.wait(untilMonotonic: deadline.nanoseconds) { $0.generation != generation ? () : nil }
        return calls.now >= time
    }

    /// Gives a frame, unless the source was changed since it was pulled.
    private func give(_ frame: VideoFrame) -> SourceOutput {
        waiting = nil
        guard state.withLock({ $0.generation }) == generation else { return .pending }
        var frame = frame
        frame.isBeginning = frame.isBeginning || isBeginning
        isBeginning = false
        timeline.given(frame.captureTime)
        return .frame(frame)
    }

    private func takeOver() {
        let (next, generation) = state.withLock { state in
            defer { state.next = nil }
            return (state.next, state.generation)
        }
        self.generation = generation
        guard let next else { return }
        current = next.source
        waiting = nil
        isBeginning = true
        timeline.begin()
    }
}

/// Brings the times of one source after another onto one clock. A pure value.
struct SwitchTimeline: Sendable {
    private var last: MediaTime?
    /// What is added to the times of the present source; not known before its first frame.
    private var offset: MediaDuration?

    /// Another source begins.
    mutating func begin() {
        offset = nil
    }

    /// The frame at its time: a live source's is kept, that of another counts from its first frame, which is due now.
    /// Behind what was given before it is in any case.
    mutating func placed(_ frame: VideoFrame, isLive: Bool, at now: MediaTime) -> VideoFrame {
        let offset = self.offset ?? (isLive ? .zero : now - frame.captureTime)
        self.offset = offset
        var frame = frame
        frame.captureTime = frame.captureTime + offset
        if let last, frame.captureTime <= last { frame.captureTime = last + MediaDuration(nanoseconds: 1) }
        return frame
    }

    /// A frame of that time was given.
    mutating func given(_ time: MediaTime) {
        last = time
    }
}
