internal import CThreads
import Glibc
import RillCore

/// A thread of its own with a name that `top -H` and debuggers show: blocking work never runs on Swift's shared pool.
///
/// It wakes when it asked to. By default Linux may let a sleep last 50 µs longer, to save wake-ups: the capture thread had
/// a clip's frames 0.15 ms after they were due, in the median, and without that leave after 0.10 ms.
package final class NamedThread: Sendable {
    private let isFinished: Monitor<Bool>

    /// Starts `body` on a new thread. Of `name` the kernel keeps 15 bytes.
    package init(_ name: String, _ body: @escaping @Sendable () -> Void) {
        let isFinished = Monitor(false)
        self.isFinished = isFinished
        let work = Work(body, isFinished)
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
        private let isFinished: Monitor<Bool>

        init(_ body: @escaping @Sendable () -> Void, _ isFinished: Monitor<Bool>) {
            unsafe self.body = body
            self.isFinished = isFinished
        }

        func run() {
            // The least there is. A kernel that refuses wakes as late as ever, which nothing here depends on.
            _ = CThreads_set_timer_slack(1)
            unsafe body?()
            unsafe body = nil
            isFinished.change { $0 = true }
        }
    }
}
