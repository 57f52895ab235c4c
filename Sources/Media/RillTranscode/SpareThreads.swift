import RillCore

/// Threads that several transcodes share. Each has one of its own, and borrows more for parts of its clip that can
/// run in parallel: one thread for one part, then it is returned.
///
/// ```swift
/// let spare = SpareThreads(6)  // eight threads, two transcodes
/// ```
///
/// A transcode without work left adds its own thread. Callable from any thread.
package final class SpareThreads: Sendable {
    private let count: Monitor<Int>

    /// Creates a pool of that many idle threads.
    package init(_ count: Int = 0) {
        self.count = Monitor(count)
    }

    /// Adds a thread for those that wait.
    package func add() { count.change { $0 += 1 } }

    /// Waits for a thread as long as it is wanted. `isWanted` is evaluated at each change and each ``wake()``.
    ///
    /// - Returns: whether a thread was borrowed, which must be returned later.
    func borrow(while isWanted: () -> Bool) -> Bool {
        count.wait { count -> Bool? in
            guard isWanted() else { return false }
            guard count > 0 else { return nil }
            count -= 1
            return true
        }
    }

    /// Returns a borrowed thread.
    func giveBack() { add() }

    /// Makes all waiting callers check whether they still want a thread.
    func wake() { count.change { _ in } }
}
