import Glibc

/// A state behind a lock, with a condition to wait on. Rill has no other lock.
///
/// It guards a whole state machine, never a single field. It uses pthread instead of `Synchronization.Mutex`, because
/// the thread sanitizer of Swift 6.3 on Linux does not see the latter and would report false races. A thread that
/// locks twice traps instead of hanging. `body` must be Rill's own code: it must not call a sink, a tap or an
/// observer, which might call back.
@safe
package final class Monitor<State: ~Copyable>: @unchecked Sendable {
    // Manually Sendable: `held` is only accessed between lock and unlock.
    private let mutex: UnsafeMutablePointer<pthread_mutex_t>
    private let condition: UnsafeMutablePointer<pthread_cond_t>
    private var held: Held

    /// A property without a size has the address of its object, and the thread sanitizer takes an access of a `Void`
    /// for one of the object's header. So the state has a size.
    private struct Held: ~Copyable {
        var state: State
        let size: UInt8 = 0
    }

    package init(_ state: consuming sending State) {
        held = Held(state: state)
        // The lock must not move in memory while threads wait on it, so it lives on the heap.
        unsafe mutex = .allocate(capacity: 1)
        unsafe condition = .allocate(capacity: 1)
        var attributes = pthread_condattr_t()
        unsafe pthread_condattr_init(&attributes)
        // Deadlines use the monotonic clock: setting the wall clock must not stall or hurry a pipeline.
        unsafe pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC)
        var kind = pthread_mutexattr_t()
        unsafe pthread_mutexattr_init(&kind)
        unsafe pthread_mutexattr_settype(&kind, Int32(PTHREAD_MUTEX_ERRORCHECK))
        let mutexResult = unsafe pthread_mutex_init(mutex, &kind)
        unsafe pthread_mutexattr_destroy(&kind)
        let conditionResult = unsafe pthread_cond_init(condition, &attributes)
        unsafe pthread_condattr_destroy(&attributes)
        precondition(mutexResult == 0 && conditionResult == 0, "pthread could not create a lock")
    }

    deinit {
        unsafe pthread_cond_destroy(condition)
        unsafe pthread_mutex_destroy(mutex)
        unsafe condition.deallocate()
        unsafe mutex.deallocate()
    }

    /// Runs `body` alone with the state, then wakes all waiting threads.
    package func change<Result: ~Copyable, Failure: Error>(
        _ body: (inout State) throws(Failure) -> Result
    ) throws(Failure) -> Result {
        lock()
        defer { unlockWaking() }
        return try body(&held.state)
    }

    /// Runs `body` alone with the state, then wakes all waiting threads if `body` returns `true`.
    package func changeWaking(_ body: (inout State) -> Bool) {
        lock()
        if body(&held.state) { unlockWaking() } else { unsafe pthread_mutex_unlock(mutex) }
    }

    /// Runs `body` alone with the state and wakes no thread: for reads, and for changes that no thread waits for.
    package func withLock<Result: ~Copyable, Failure: Error>(
        _ body: (inout State) throws(Failure) -> Result
    ) throws(Failure) -> Result {
        lock()
        defer { unsafe pthread_mutex_unlock(mutex) }
        return try body(&held.state)
    }

    /// Waits until `body` returns a value. `body` runs at once and after each change. It may change the state itself
    /// (for example, take an element and so make room): threads that wait for the change are woken.
    package func wait<Result: ~Copyable>(for body: (inout State) -> Result?) -> Result {
        lock()
        while true {
            if let result = body(&held.state) {
                unlockWaking()
                return result
            }
            unsafe pthread_cond_wait(condition, mutex)
        }
    }

    /// Waits until `body` returns a value or `CLOCK_MONOTONIC` reaches `deadline` (nanoseconds). At the deadline
    /// `body` runs a last time, and its result is returned even if it is `nil`.
    package func wait<Result: ~Copyable>(
        untilMonotonic deadline: Int64, for body: (inout State) -> Result?
    ) -> Result? {
        var moment = timespec(tv_sec: Int(deadline / 1_000_000_000), tv_nsec: Int(deadline % 1_000_000_000))
        lock()
        while true {
            if let result = body(&held.state) {
                unlockWaking()
                return result
            }
            guard unsafe pthread_cond_timedwait(condition, mutex, &moment) != ETIMEDOUT else { break }
        }
        let result = body(&held.state)
        if result == nil { unsafe pthread_mutex_unlock(mutex) } else { unlockWaking() }
        return result
    }

    /// Unlocks first: threads woken earlier would find the lock taken and sleep again.
    private func unlockWaking() {
        unsafe pthread_mutex_unlock(mutex)
        unsafe pthread_cond_broadcast(condition)
    }

    private func lock() {
        let result = unsafe pthread_mutex_lock(mutex)
        guard result == 0 else { refuse(result) }
    }

    /// Not `precondition`, whose message is missing in a release build. Not inlined, to keep it out of the fast path.
    @inline(never)
    private func refuse(_ error: Int32) -> Never {
        fatalError("this thread already holds the lock (error \(error))")
    }
}
