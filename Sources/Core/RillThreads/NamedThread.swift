internal import CThreads
import Glibc
import RillCore

/// A dedicated thread with a name that `top -H` and debuggers show. Blocking work never runs on Swift's shared thread
/// pool.
///
/// It wakes up on time. By default, Linux may extend a sleep by 50 µs to save wake-ups: the capture thread then had a
/// clip's frames 0.15 ms after they were due in the median, and without the extension after 0.10 ms.
package final class NamedThread: Sendable {
    private let state: Monitor<State>

    private struct State: ~Copyable {
        /// Set once the thread runs.
        var thread: pthread_t?
        var isFinished = false
    }

    /// The time slice that a thread requests when several threads compete for a CPU.
    ///
    /// All threads get the same share of the CPU, and the request needs no privileges. Among the waiting threads, the
    /// one with the shortest slice runs first, until its slice is over (EEVDF, in Linux 6.12 and later).
    package enum TimeSlice: Sendable {
        /// The system's default.
        case ordinary
        /// 0.1 ms, the kernel's minimum: for threads that only pass on data.
        case short
        /// 2 ms: for a thumbnail, from scaling to packets. With a shorter slice the thread would start just as soon,
        /// but would be preempted midway by one that then runs for milliseconds.
        case medium
        /// 10 ms: for work that can wait for the others.
        case long

        /// The slice in nanoseconds; `nil` for the system's default.
        fileprivate var nanoseconds: UInt64? {
            switch self {
            case .ordinary: nil
            case .short: 100_000
            case .medium: 2_000_000
            case .long: 10_000_000
            }
        }
    }

    /// The CPUs that the thread is restricted to, among those that the process may use.
    package enum CPUAffinity: Sendable {
        case any
        case last
        case allButLast
    }

    /// Starts `body` on a new thread. The kernel keeps the first 15 bytes of `name`.
    ///
    /// - Throws: ``ThreadError`` if the system starts no thread. Then `body` is released.
    package init(
        _ name: String, timeSlice: TimeSlice = .ordinary, affinity: CPUAffinity = .any,
        _ body: @escaping @Sendable () -> Void
    ) throws(ThreadError) {
        let state = Monitor(State())
        self.state = state
        // The new thread takes ownership of this reference.
        let work = unsafe Unmanaged.passRetained(Work(timeSlice, affinity, body, state))
        var thread = pthread_t()
        let result = unsafe pthread_create(
            &thread, nil,
            { argument in
                // The pointer is the reference passed just above; a start routine always gets one.
                unsafe Unmanaged<Work>.fromOpaque(argument!).takeRetainedValue().run()
                return nil
            }, work.toOpaque())
        guard result == 0 else {
            // There is no thread that would release it.
            unsafe work.release()
            throw ThreadError(name: name, code: result)
        }
        unsafe pthread_setname_np(thread, String(name.prefix(15)))
        pthread_detach(thread)
    }

    /// Checks that the system would start so many threads now. Libraries that start threads of their own trap without
    /// them, or wait for them without a word.
    ///
    /// - Throws: ``ThreadError``.
    package static func require(_ count: Int, _ name: String) throws(ThreadError) {
        let isOver = Monitor(false)
        var threads: [NamedThread] = []
        defer {
            isOver.change { $0 = true }
            for thread in threads { thread.join() }
        }
        for _ in 0..<count { threads.append(try NamedThread(name) { isOver.wait { $0 ? () : nil } }) }
    }

    /// Waits until the thread has finished. Must be called from another thread.
    package func join() {
        if isCurrent { fatalError("a thread cannot join itself: a sink must not stop its caller") }
        state.wait { $0.isFinished ? () : nil }
    }

    /// Whether the calling thread is this one.
    package var isCurrent: Bool { state.withLock { $0.thread == pthread_self() && !$0.isFinished } }

    /// The work of the thread. When it is joined, everything that it held has been released.
    private final class Work: Sendable {
        // Passed to the new thread, which alone accesses it from then on.
        nonisolated(unsafe) private var body: (@Sendable () -> Void)?
        private let timeSlice: TimeSlice
        private let affinity: CPUAffinity
        private let state: Monitor<State>

        init(
            _ timeSlice: TimeSlice, _ affinity: CPUAffinity, _ body: @escaping @Sendable () -> Void,
            _ state: Monitor<State>
        ) {
            unsafe self.body = body
            (self.timeSlice, self.affinity) = (timeSlice, affinity)
            self.state = state
        }

        func run() {
            state.withLock { $0.thread = pthread_self() }
            // The minimum. If the kernel refuses this or the following calls, wake-ups are only later: nothing
            // depends on them.
            _ = CThreads_set_timer_slack(1)
            if let nanoseconds = timeSlice.nanoseconds { _ = CThreads_set_time_slice(nanoseconds) }
            if affinity != .any { _ = CThreads_keep_to_last_cpu(affinity == .last ? 1 : 0) }
            unsafe body?()
            unsafe body = nil
            state.change { $0.isFinished = true }
        }
    }
}

/// The system started no thread: the process, its user or the machine has as many threads as it may have, or there is
/// no memory for a stack.
public struct ThreadError: Error, Equatable, Sendable {
    /// The name of the thread.
    public let name: String
    /// The code of the system's error (`EAGAIN`).
    public let code: Int32
}

extension ThreadError: CustomStringConvertible {
    /// One sentence, which names the limits to raise.
    public var description: String {
        let text = unsafe String(cString: strerror(code))
        return "the system starts no further thread (\(name)): \(text) (error \(code)); "
            + "see the limits of processes (ulimit -u) and of the control group (pids.max)"
    }
}
