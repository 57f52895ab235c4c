import Glibc

/// A state behind a lock, with a condition to wait on: the one lock of Rill.
///
/// It guards a whole state machine, never a field. It is pthread's, not `Synchronization.Mutex`, because the thread
/// sanitizer of Swift 6.3 on Linux does not see the latter and would report races that are not there. A thread that asks
/// for a lock that it holds is told so with a trap, and does not hang: `body` is our own code, and calls nothing of anybody
/// else's (a sink, a tap, an observer), which might come back.
@safe
package final class Monitor<State: ~Copyable>: @unchecked Sendable {
    // Sendable by hand: `state` is only ever touched between lock and unlock.
    private let mutex: UnsafeMutablePointer<pthread_mutex_t>
    private let condition: UnsafeMutablePointer<pthread_cond_t>
    private var state: State

    package init(_ state: consuming sending State) {
        self.state = state
        // The lock must not move in memory while threads wait on it, so it lives on the heap.
        unsafe mutex = .allocate(capacity: 1)
        unsafe condition = .allocate(capacity: 1)
        var attributes = pthread_condattr_t()
        unsafe pthread_condattr_init(&attributes)
        // Deadlines are on the monotonic clock: a set wall clock must not stall or hurry a pipeline.
        unsafe pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC)
        var kind = pthread_mutexattr_t()
        unsafe pthread_mutexattr_init(&kind)
        unsafe pthread_mutexattr_settype(&kind, Int32(PTHREAD_MUTEX_ERRORCHECK))
        let mutexResult = unsafe pthread_mutex_init(mutex, &kind)
        unsafe pthread_mutexattr_destroy(&kind)
        let conditionResult = unsafe pthread_cond_init(condition, &attributes)
        unsafe pthread_condattr_destroy(&attributes)
        precondition(mutexResult == 0 && conditionResult == 0, "pthread gave no lock")
    }

    deinit {
        unsafe pthread_cond_destroy(condition)
        unsafe pthread_mutex_destroy(mutex)
        unsafe condition.deallocate()
        unsafe mutex.deallocate()
    }

    /// Runs `body` alone with the state, and wakes those who wait for it to change when `body` is done.
    package func change<Result: ~Copyable, Failure: Error>(
        _ body: (inout State) throws(Failure) -> Result
    ) throws(Failure) -> Result {
        lock()
        defer { unlockWaking() }
        return try body(&state)
    }

    /// Runs `body` alone with the state, and wakes those who wait for it to change if `body` says that it concerns them.
    package func changeWaking(_ body: (inout State) -> Bool) {
        lock()
        if body(&state) { unlockWaking() } else { unsafe pthread_mutex_unlock(mutex) }
    }

    /// Runs `body` alone with the state and wakes nobody: for looks, and for changes that nobody waits for.
    package func withLock<Result: ~Copyable, Failure: Error>(
        _ body: (inout State) throws(Failure) -> Result
    ) throws(Failure) -> Result {
        lock()
        defer { unsafe pthread_mutex_unlock(mutex) }
        return try body(&state)
    }

    /// Waits until `body` gives an answer; it is asked at once and after each change. It may change the state itself (take
    /// a value and so make room): those who wait for that are woken.
    package func wait<Result: ~Copyable>(for body: (inout State) -> Result?) -> Result {
        lock()
        while true {
            if let result = body(&state) {
                unlockWaking()
                return result
            }
            unsafe pthread_cond_wait(condition, mutex)
        }
    }

    /// The same, but once `CLOCK_MONOTONIC` has reached `deadline` (nanoseconds) `body` is asked a last time and its
    /// answer is taken, `nil` too.
    package func wait<Result: ~Copyable>(
        untilMonotonic deadline: Int64, for body: (inout State) -> Result?
    ) -> Result? {
        var moment = timespec(tv_sec: Int(deadline / 1_000_000_000), tv_nsec: Int(deadline % 1_000_000_000))
        lock()
        while true {
            if let result = body(&state) {
                unlockWaking()
                return result
            }
            guard unsafe pthread_cond_timedwait(condition, mutex, &moment) != ETIMEDOUT else { break }
        }
        let result = body(&state)
        if result == nil { unsafe pthread_mutex_unlock(mutex) } else { unlockWaking() }
        return result
    }

    /// Those who wait wake when the lock is free: else they would wake, find it taken, and sleep once more.
    private func unlockWaking() {
        unsafe pthread_mutex_unlock(mutex)
        unsafe pthread_cond_broadcast(condition)
    }

    private func lock() {
        let result = unsafe pthread_mutex_lock(mutex)
        guard result == 0 else { refuse(result) }
    }

    /// Not `precondition`, which says nothing in a release; out of the way of every lock that is taken.
    @inline(never)
    private func refuse(_ error: Int32) -> Never {
        fatalError("this thread holds the lock already (error \(error))")
    }
}
