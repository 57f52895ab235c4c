import RillCore

/// Threads that several transcodes lend each other. Each has one of its own, and borrows more for the parts of its clip that
/// can be made at once: one thread for one part, then it is given back.
///
///     let spare = SpareThreads(6)  // eight threads, two transcodes
///
/// Whoever has none left to do adds its own thread to them. Any thread.
package final class SpareThreads: Sendable {
    private let count: Monitor<Int>

    /// So many nobody works on at first.
    package init(_ count: Int = 0) {
        self.count = Monitor(count)
    }

    /// One more, for whoever waits.
    package func add() { count.change { $0 += 1 } }

    /// Waits for one, as long as it is wanted; asked again at each change and at each ``wake()``.
    ///
    /// - Returns: whether there is one, which is given back later.
    func borrow(while isWanted: () -> Bool) -> Bool {
        count.wait { count -> Bool? in
            guard isWanted() else { return false }
            guard count > 0 else { return nil }
            count -= 1
            return true
        }
    }

    /// Gives back what was borrowed.
    func giveBack() { add() }

    /// Has those who wait look whether they still want one.
    func wake() { count.change { _ in } }
}
