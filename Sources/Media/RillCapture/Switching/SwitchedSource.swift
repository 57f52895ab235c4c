public import RillCore

/// The frames of a ``SourceSwitcher``. One owner, one thread at a time.
public final class SwitchedSource: FrameSource {
    private let state: Monitor<SourceSwitcher.State>
    private let calls: any DeviceCalls
    private let onEvent: (@Sendable (SourceSwitcher.Event) -> Void)?
    /// The current source; `nil` if it has ended.
    private var current: (any FrameSource)?
    private var generation = 0
    private var timeline = SwitchTimeline()
    /// A frame that is not due yet.
    private var waiting: VideoFrame?
    /// When the last frame of an ended source has been shown for its duration.
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
        // A source that was never shown is released here, where no lock is held.
        _ = consume unused
    }

    /// The size and rate of the current or last source, always live.
    public var format: SourceFormat {
        let format = current?.format ?? lastFormat
        return SourceFormat(resolution: format.resolution, frameRate: format.frameRate, isLive: true)
    }

    /// Returns the next frame of the current source.
    ///
    /// It never returns ``/RillCore/SourceOutput/end``. If a source has ended or thrown, it waits briefly for the
    /// next change and returns ``/RillCore/SourceOutput/pending``.
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

    /// Waits until a time, or briefly, or until a change. Returns `false` if the time has not been reached.
    private func waitUntil(_ time: MediaTime) -> Bool {
        let deadline = min(time, calls.now + V4L2Camera.frameTimeout)
        let generation = generation
        _ = state.wait(untilMonotonic: deadline.nanoseconds) { $0.generation != generation ? () : nil }
        return calls.now >= time
    }

    /// Returns a frame, unless the source was changed after it was pulled.
    private func give(_ frame: VideoFrame) -> SourceOutput {
        waiting = nil
        guard state.withLock({ $0.generation }) == generation else { return .pending }
        var frame = frame
        frame.isDiscontinuity = frame.isDiscontinuity || isDiscontinuity
        isDiscontinuity = false
        timeline.given(frame.captureTime)
        return .frame(frame)
    }

    /// Releases the current source. Nothing is reported if it was replaced meanwhile.
    private func letGo(_ status: SourceSwitcher.Status, _ event: SourceSwitcher.Event) -> SourceOutput {
        lastFormat = format
        current = nil
        let isNews = state.withLock { state in
            guard state.generation == generation else { return false }
            state.status = status
            return true
        }
        if isNews { onEvent?(event) }
        // Returns here so that the driver can stop, even if every new source ends at once.
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

/// Maps the times of successive sources to one clock. A pure value.
struct SwitchTimeline: Sendable {
    private var frames = FrameSuccession()
    /// The offset added to the times of the current source; unknown before its first frame.
    private var offset: Int128?

    /// Starts another source.
    mutating func begin() {
        offset = nil
    }

    /// Returns the frame with its mapped time.
    ///
    /// A live source keeps its times; other sources count from their first frame, which is due now. The result is
    /// always later than the last returned frame. Timestamps are untrusted: one beyond the range of times (292 years)
    /// is never due.
    mutating func placed(_ frame: VideoFrame, isLive: Bool, at now: MediaTime) -> VideoFrame {
        let stamp = Int128(frame.captureTime.nanoseconds)
        let offset = self.offset ?? (isLive ? 0 : Int128(now.nanoseconds) - stamp)
        self.offset = offset
        var frame = frame
        frame.captureTime = frames.rising(MediaTime(nanoseconds: Int64(clamping: stamp + offset)))
        return frame
    }

    /// Records that a frame with that time was returned.
    mutating func given(_ time: MediaTime) {
        frames.advance(to: time)
    }

    /// Returns when the last frame of an ended clip has been shown for its duration; `nil` if it returned none.
    func end(_ rate: FrameRate?) -> MediaTime? {
        offset == nil ? nil : frames.end(rate)
    }
}
