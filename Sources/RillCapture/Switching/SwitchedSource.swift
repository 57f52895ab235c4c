public import RillCore

/// The frames of a ``SourceSwitcher``. One owner, one thread at a time.
public final class SwitchedSource: FrameSource {
    private let state: Monitor<SourceSwitcher.State>
    private let calls: any DeviceCalls
    private let onEvent: (@Sendable (SourceSwitcher.Event) -> Void)?
    /// What gives frames; `nil` where it has ended.
    private var current: (any FrameSource)?
    private var generation = 0
    private var timeline = SwitchTimeline()
    /// A frame whose time has not come.
    private var waiting: VideoFrame?
    /// When the last frame of a source that has no more was shown for its time.
    private var endTime: MediaTime?
    private var isDiscontinuity = false
    private var lastFormat: SourceFormat

    init(
        _ state: Monitor<SourceSwitcher.State>, _ format: SourceFormat,
        _ onEvent: (@Sendable (SourceSwitcher.Event) -> Void)?, calls: any DeviceCalls = SystemDeviceCalls()
    ) {
        self.state = state
        self.calls = calls
        self.onEvent = onEvent
        lastFormat = format
    }

    deinit {
        let unused = state.withLock { state in
            defer { state.next = nil }
            state.isOver = true
            return state.next
        }
        // A source that was never shown goes here, where no lock is held.
        _ = consume unused
    }

    /// Size and rate of the source that gives frames at present, or did last, in real time, whatever it is by itself.
    public var format: SourceFormat {
        let format = current?.format ?? lastFormat
        return SourceFormat(resolution: format.resolution, frameRate: format.frameRate, isLive: true)
    }

    /// The next frame of the source at present. It never says ``RillCore/SourceOutput/end``: where a source has ended, or has
    /// thrown, the next change is waited for, a moment at the most, and the answer is ``RillCore/SourceOutput/pending``.
    public func next() -> SourceOutput {
        takeOver()
        guard let current else {
            _ = waitUntil(.distantFuture)
            return .pending
        }
        if waiting == nil, endTime == nil {
            switch Result(catching: current.next) {
            case .success(.frame(let frame)):
                waiting = timeline.placed(frame, isLive: current.format.isLive, at: calls.now)
            case .success(.end):
                endTime = current.format.isLive ? calls.now : timeline.end(current.format.frameRate) ?? calls.now
            case .success(let output): return output
            case .failure(let error): return letGo(.failed(error), .failed(source: generation, error))
            }
        }
        if let endTime {
            return waitUntil(endTime) ? letGo(.ended, .ended(source: generation)) : .pending
        }
        guard let frame = waiting, waitUntil(frame.captureTime) else { return .pending }
        return give(frame)
    }

    /// Waits for a time, a moment at the most, or until there is a change; `false` where it has not come.
    private func waitUntil(_ time: MediaTime) -> Bool {
        let deadline = min(time, calls.now + V4L2Camera.frameTimeout)
        let generation = generation
        _ = state.wait(untilMonotonic: deadline.nanoseconds) { $0.generation != generation ? () : nil }
        return calls.now >= time
    }

    /// Gives a frame, unless the source was changed since it was pulled.
    private func give(_ frame: VideoFrame) -> SourceOutput {
        waiting = nil
        guard state.withLock({ $0.generation }) == generation else { return .pending }
        var frame = frame
        frame.isDiscontinuity = frame.isDiscontinuity || isDiscontinuity
        isDiscontinuity = false
        timeline.given(frame.captureTime)
        return .frame(frame)
    }

    /// The source at present is done with. Nothing is said of one that was changed away from meanwhile.
    private func letGo(_ status: SourceSwitcher.Status, _ event: SourceSwitcher.Event) -> SourceOutput {
        lastFormat = format
        current = nil
        let isNews = state.withLock { state in
            guard state.generation == generation else { return false }
            state.status = status
            return true
        }
        if isNews { onEvent?(event) }
        // Whoever pulls can stop, even where what is changed to ends at once, each time.
        return .pending
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
        endTime = nil
        isDiscontinuity = true
        timeline.begin()
    }
}

/// Brings the times of one source after another onto one clock. A pure value.
struct SwitchTimeline: Sendable {
    private var frames = FrameSuccession()
    /// What is added to the times of the present source; not known before its first frame.
    private var offset: Int128?

    /// Another source begins.
    mutating func begin() {
        offset = nil
    }

    /// The frame at its time: a live source's is kept, that of another counts from its first frame, which is due now.
    /// Behind what was given before it is in any case. Stamps come from strangers: one beyond all times (292 years) is never
    /// due.
    mutating func placed(_ frame: VideoFrame, isLive: Bool, at now: MediaTime) -> VideoFrame {
        let stamp = Int128(frame.captureTime.nanoseconds)
        let offset = self.offset ?? (isLive ? 0 : Int128(now.nanoseconds) - stamp)
        self.offset = offset
        var frame = frame
        frame.captureTime = frames.rising(MediaTime(nanoseconds: Int64(clamping: stamp + offset)))
        return frame
    }

    /// A frame of that time was given.
    mutating func given(_ time: MediaTime) {
        frames.advance(to: time)
    }

    /// When the last frame of a clip, which has no more, was shown for its time; `nil` where it gave none.
    func end(_ rate: FrameRate?) -> MediaTime? {
        offset == nil ? nil : frames.end(rate)
    }
}
