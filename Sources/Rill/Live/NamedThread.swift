internal import CThreads
import Glibc
import RillCore

/// A thread of its own with a name that `top -H` and debuggers show: blocking work never runs on Swift's shared pool.
///
/// It wakes when it asked to. By default Linux may let a sleep last 50 µs longer, to save wake-ups: the capture thread had
/// a clip's frames 0.15 ms after they were due, in the median, and without that leave after 0.10 ms.
package final class NamedThread: Sendable {
    private let isFinished: Monitor<Bool>

    /// How long a thread works when it is woken, beside others of its kind.
    package enum Turn: Sendable {
        /// As long as the system lets it.
        case ordinary
        /// It asks for short turns, so that it is let in at once when it wakes: it has the same share of the time as others,
        /// but does not wait until one that works for long has had its turn. It needs no privilege.
        case short
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
        let isFinished = Monitor(false)
        self.isFinished = isFinished
        let work = Work(turn, part, body, isFinished)
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

    /// Waits until the thread's work is done.
    package func join() {
        isFinished.wait { $0 ? () : nil }
    }

    /// What the thread does: whoever joins it finds all that it held released.
    private final class Work: Sendable {
        // Handed over to the new thread, which alone touches it from then on.
        nonisolated(unsafe) private var body: (@Sendable () -> Void)?
        private let turn: Turn
        private let part: Part
        private let isFinished: Monitor<Bool>

        /// The shortest that the kernel grants, in nanoseconds.
        private static let shortTurn: UInt64 = 100_000

        init(_ turn: Turn, _ part: Part, _ body: @escaping @Sendable () -> Void, _ isFinished: Monitor<Bool>) {
            unsafe self.body = body
            (self.turn, self.part) = (turn, part)
            self.isFinished = isFinished
        }

        func run() {
            // The least there is. A kernel that refuses this or what follows wakes as late as ever: nothing depends on it.
            _ = CThreads_set_timer_slack(1)
            if turn == .short { _ = CThreads_set_turn(Work.shortTurn) }
            if part != .any { _ = CThreads_keep_to_last_cpu(part == .last ? 1 : 0) }
            unsafe body?()
            unsafe body = nil
            isFinished.change { $0 = true }
        }
    }
}
