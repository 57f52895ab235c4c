public import RillCore

/// A live source that can be changed while it runs: front to back camera, camera to clip, camera to scene.
///
///     let switcher = SourceSwitcher(front) { event in print(event) }
///     let sender = LiveSender(pipeline, source: switcher.source, packets: socket)
///     …
///     switcher.change(to: back)      // from any thread
///
/// No frame of the old source comes after ``change(to:)``, but for one that is just being given. The first frame of the new
/// one is marked as a beginning (``RillCore/VideoFrame/isDiscontinuity``), so that every layer sends a key frame. Sizes may
/// differ. The old source is let go on the thread that pulls: a camera is closed there.
///
/// It has no end of its own. A clip that has ended, or a source that throws, is let go and said (``Event``, ``status``); no
/// frame comes until the next change. ``LiveClip`` is a clip that is held at its last frame, or begins again.
///
/// Frames bear times of `CLOCK_MONOTONIC`, which rise from source to source: those of cameras are kept; clips and scenes
/// begin when they are changed to, and are paced by their stamps.
public final class SourceSwitcher: Sendable {
    /// What has happened to a source, by its number: 0 is the first, and ``change(to:)`` says those of the others.
    public enum Event: Sendable {
        /// It has given its last frame, whose time is over.
        case ended(source: Int)
        /// It has thrown: a damaged clip, no memory for a camera's pictures.
        case failed(source: Int, any Error)
    }

    /// How the source that was changed to last is doing.
    public enum Status: Sendable {
        /// It gives frames, or soon will.
        case showing
        /// It gives no more.
        case ended
        /// It gives no more, because of that.
        case failed(any Error)
    }

    private let state: Monitor<State>
    private let onEvent: (@Sendable (Event) -> Void)?
    private let format: SourceFormat

    struct State {
        /// What is to be given from now on, until it was taken over.
        var next: Pending?
        /// Counts the changes: a frame that was pulled before the last one is thrown away.
        var generation = 0
        var status = Status.showing
        /// Whether somebody has the source.
        var isGiven = false
        /// Whether that one has let go of it.
        var isOver = false
    }

    /// A source on its way to the thread that pulls.
    struct Pending: @unchecked Sendable {
        // Sendable by hand: it was `sending`, and goes to one thread alone.
        let source: any FrameSource
    }

    /// A switcher that begins with `first`, which belongs to whoever pulls from ``source`` from now on.
    ///
    /// - Parameter onEvent: is called with what happens, on the thread that pulls. It may change the source. An event of a
    ///   source that was changed away from may still be on its way then: look at the number.
    public init(_ first: sending any FrameSource, onEvent: (@Sendable (Event) -> Void)? = nil) {
        // Handed over, and not used here any more.
        nonisolated(unsafe) let first = first
        state = unsafe Monitor(State(next: Pending(source: first)))
        format = unsafe first.format
        self.onEvent = onEvent
    }

    /// Changes to another source, which belongs to the thread that pulls from now on.
    ///
    /// - Returns: the source's number; `nil` where nobody pulls any more (the sender has stopped), and it was let go.
    @discardableResult
    public func change(to source: sending any FrameSource) -> Int? {
        // Handed over, and not used here any more.
        nonisolated(unsafe) let source = source
        let next = unsafe Pending(source: source)
        let (number, replaced) = state.change { state in
            guard !state.isOver else { return (Int?.none, Pending?.none) }
            defer { state.next = next }
            state.generation += 1
            state.status = .showing
            return (state.generation, state.next)
        }
        // One that was never shown goes here, where no lock is held.
        _ = consume replaced
        return number
    }

    /// How the source that was changed to last is doing. From any thread.
    public var status: Status { state.withLock { $0.status } }

    /// The source that a driver gets. There is but one: asking for a second one is the programmer's mistake.
    public var source: SwitchedSource {
        let isFirst = state.withLock { state in
            defer { state.isGiven = true }
            return !state.isGiven
        }
        precondition(isFirst, "a switcher has one source, which somebody has already")
        return SwitchedSource(state, format, onEvent)
    }
}
