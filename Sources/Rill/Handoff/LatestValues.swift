import RillCore

/// A hand-off of one place between two threads where the newest value wins: for live video, which must not wait.
///
/// A value that nobody has taken when the next one comes is dropped and counted; what it asked for can be carried over
/// to its successor.
final class LatestValue<Value: Sendable>: Sendable {
    private struct State: ~Copyable {
        var value: Value?
        var isClosed = false
        var dropped = 0
    }

    private let state = Monitor(State())

    /// Puts `value` in the place. If one still stands there, it is dropped: `absorb` gets (new, dropped) and gives the
    /// value that stands there then.
    ///
    /// - Returns: the dropped one.
    @discardableResult
    func put(_ value: Value, absorbing absorb: (Value, Value) -> Value) -> Value? {
        state.change { state in
            let dropped = state.value
            if let dropped {
                state.dropped += 1
                state.value = absorb(value, dropped)
            } else {
                state.value = value
            }
            return dropped
        }
    }

    /// Takes the value, waiting for one; `nil` once the place is closed and empty.
    func take() -> Value? {
        state.wait { state -> Value?? in
            if let value = state.value {
                state.value = nil
                return .some(value)
            }
            return state.isClosed ? .some(nil) : nil
        }
    }

    /// No value will follow: who waits for one gets `nil`.
    func close() {
        state.change { $0.isClosed = true }
    }

    /// How many values were replaced before anybody took them.
    var dropped: Int { state.withLock { $0.dropped } }
}
