internal import CThreads
import Glibc
import RillCore

/// A thread of its own with a name that `top -H` and debuggers show: blocking work never runs on Swift's shared pool.
///
/// It wakes when it asked to. By default Linux may let a sleep last 50 µs longer, to save wake-ups: the capture thread had
/// a clip's frames 0.15 ms after they were due, in the median, and without that leave after 0.10 ms.
package final class NamedThread: Sendable {
    private let state: Monitor<State>

    private struct State: ~Copyable {
        /// Known once it runs.
        var thread: pthread_t?
        var isFinished = false
    }

    /// For how long a thread asks to be let work, where several want the same hardware thread. It has the same share of the
    /// time as the others, and needs no privilege: of those that wait the one with the shortest turn goes first, and then
    /// works until its turn is over (EEVDF; Linux 6.12 and later heed it).
    package enum Turn: Sendable {
        /// What the system gives.
        case ordinary
        /// 0.1 ms, the shortest that the kernel grants: for what hands on.
        case short
        /// 2 ms: for a thumbnail, from its scaling to its packets. With a shorter turn it is let in at once as well, but
        /// has to give way in the middle, to one that then works for milliseconds.
        case middle
        /// 10 ms: for what may wait for those above.
        case long

        /// `nil`: what the system gives.
        fileprivate var nanoseconds: UInt64? {
            switch self {
            case .ordinary: nil
            case .short: 100_000
            case .middle: 2_000_000
            case .long: 10_000_000
            }
        }
    }

    /// The hardware threads that it keeps to, of those that the process may use.
    package enum Part: Sendable {
        case any
        case last
        case allButLast
    }

    /// Starts `body` on a new thread. Of `name` the kernel keeps 15 bytes.
    package init(
        _ name: String, turn: Turn = .ordinary, on part: Part = .any, _ body: @escaping @Sendable () -> Void
    ) {
        let state = Monitor(State())
        self.state = state
        let work = Work(turn, part, body, state)
        var thread = pthread_t()
        // The new thread takes over this reference.
        let result = unsafe pthread_create(
            &thread, nil,
            { argument in
                // The pointer is the reference that was handed over just above; a start routine always gets one.
                unsafe Unmanaged<Work>.fromOpaque(argument!).takeRetainedValue().run()
                return nil
            }, Unmanaged.passRetained(work).toOpaque())
        precondition(result == 0, "the system gave no thread (error \(result))")
        unsafe pthread_setname_np(thread, String(name.prefix(15)))
        pthread_detach(thread)
    }

    /// Waits until the thread's work is done, which is another thread's business.
    package func join() {
        if isCurrent { fatalError("a thread waits for its own end: a sink must not stop what calls it") }
        state.wait { $0.isFinished ? () : nil }
    }

    /// Whether this is the thread that asks.
    package var isCurrent: Bool { state.withLock { $0.thread == pthread_self() && !$0.isFinished } }

    /// What the thread does: whoever joins it finds all that it held released.
    private final class Work: Sendable {
        // Handed over to the new thread, which alone touches it from then on.
        nonisolated(unsafe) private var body: (@Sendable () -> Void)?
        private let turn: Turn
        private let part: Part
        private let state: Monitor<State>

        init(_ turn: Turn, _ part: Part, _ body: @escaping @Sendable () -> Void, _ state: Monitor<State>) {
            unsafe self.body = body
            (self.turn, self.part) = (turn, part)
            self.state = state
        }

        func run() {
            state.withLock { $0.thread = pthread_self() }
            // The least there is. A kernel that refuses this or what follows wakes as late as ever: nothing depends on it.
            _ = CThreads_set_timer_slack(1)
            if let nanoseconds = turn.nanoseconds { _ = CThreads_set_turn(nanoseconds) }
            if part != .any { _ = CThreads_keep_to_last_cpu(part == .last ? 1 : 0) }
            unsafe body?()
            unsafe body = nil
            state.change { $0.isFinished = true }
        }
    }
}
