public import RillCore

/// A live source that can be replaced while it runs: front to back camera, camera to clip, camera to scene.
///
/// ```swift
/// let switcher = SourceSwitcher(front) { event in print(event) }
/// let source = switcher.source   // for a driver; a call has a switcher of its own
/// …
/// switcher.change(to: back)      // from any thread
/// ```
///
/// After ``change(to:)`` no frame of the old source follows, except one that is being returned at that moment. The
/// first frame of the new source is marked as a discontinuity (``/RillCore/VideoFrame/isDiscontinuity``), so that
/// every layer sends a key frame. Sizes may differ. The old source is released on the thread that pulls: a camera is
/// closed there.
///
/// The switcher itself never ends. If a clip ends or a source throws, it is released and reported (``Event``,
/// ``status``), and no frame arrives until the next change. ``LiveClip`` is a clip that holds its last frame or
/// loops.
///
/// Capture times are on `CLOCK_MONOTONIC` and increase across sources. Those of cameras are kept. Clips and scenes
/// start when they are switched to, and are paced by their timestamps.
public final class SourceSwitcher: Sendable {
    /// An event of a source. Sources are numbered: 0 is the first, and ``change(to:)`` returns the others.
    public enum Event: Sendable {
        /// The source returned its last frame, and that frame's duration is over.
        case ended(source: Int)
        /// The source threw an error: a damaged clip, or no memory for a camera's pictures.
        case failed(source: Int, any Error)
    }

    /// The state of the current source.
    public enum Status: Sendable {
        /// It returns frames, or soon will.
        case showing
        /// It has ended.
        case ended
        /// It failed with that error.
        case failed(any Error)
    }

    private let state: Monitor<State>
    private let onEvent: (@Sendable (Event) -> Void)?
    private let format: SourceFormat

    struct State {
        /// The next source, until the pulling thread takes it.
        var next: Pending?
        /// The number of changes. A frame that was pulled before the last change is dropped.
        var generation = 0
        var status = Status.showing
        /// Whether ``source`` was taken.
        var isGiven = false
        /// Whether the taken source has been released.
        var isOver = false
    }

    /// A source in transit to the thread that pulls.
    struct Pending: @unchecked Sendable {
        // Manually Sendable: it was `sending`, and goes to one thread only.
        let source: any FrameSource
    }

    /// Creates a switcher.
    ///
    /// - Parameters:
    ///   - first: the first source. From now on it belongs to the thread that pulls from ``source``.
    ///   - onEvent: called with each event, on the thread that pulls. It may change the source. An event of a
    ///     replaced source may still be in flight then: check the number.
    public init(_ first: sending any FrameSource, onEvent: (@Sendable (Event) -> Void)? = nil) {
        // Transferred, and not used here any more.
        nonisolated(unsafe) let first = first
        state = unsafe Monitor(State(next: Pending(source: first)))
        format = unsafe first.format
        self.onEvent = onEvent
    }

    /// Changes to another source.
    ///
    /// - Parameter source: the new source. From now on it belongs to the thread that pulls.
    /// - Returns: the source's number, or `nil` if no thread pulls any more (the sender has stopped) and the source
    ///   was released.
    @discardableResult
    public func change(to source: sending any FrameSource) -> Int? {
        // Transferred, and not used here any more.
        nonisolated(unsafe) let source = source
        let next = unsafe Pending(source: source)
        let (number, replaced) = state.change { state in
            guard !state.isOver else { return (Int?.none, Pending?.none) }
            defer { state.next = next }
            state.generation += 1
            state.status = .showing
            return (state.generation, state.next)
        }
        // A source that was never shown is released here, where no lock is held.
        _ = consume replaced
        return number
    }

    /// The state of the current source. Callable from any thread.
    public var status: Status { state.withLock { $0.status } }

    /// The source for a driver. Traps when called a second time: there is only one.
    public var source: SwitchedSource {
        let isFirst = state.withLock { state in
            defer { state.isGiven = true }
            return !state.isGiven
        }
        precondition(isFirst, "a switcher has one source, which is already taken")
        return SwitchedSource(state, format, onEvent)
    }
}
