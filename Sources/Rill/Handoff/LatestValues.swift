import DequeModule
import RillCore

/// A hand-off of a few places between two threads where the newest values win: for live video, which must not wait.
///
/// Where there is no place for the next one, the oldest that nobody has taken is dropped and counted; what it asked for can
/// be carried over to its successor.
final class LatestValues<Value: Sendable>: Sendable {
    private struct State: ~Copyable {
        var values: Deque<Value>
        var isClosed = false
        var dropped = 0
    }

    private let capacity: Int
    private let state: Monitor<State>

    init(capacity: Int) {
        precondition(capacity > 0, "a hand-off holds at least one value")
        self.capacity = capacity
        self.state = Monitor(State(values: Deque(minimumCapacity: capacity + 1)))
    }

    /// Puts `value` behind the others. If there is no place, the oldest is dropped: `absorb` gets (its successor, dropped)
    /// and gives the value that stands there then.
    ///
    /// - Returns: the dropped one.
    @discardableResult
    func put(_ value: Value, absorbing absorb: (Value, Value) -> Value) -> Value? {
        state.change { state in
            state.values.append(value)
            guard state.values.count > capacity, let dropped = state.values.popFirst() else { return nil }
            state.dropped += 1
            state.values[0] = absorb(state.values[0], dropped)
            return dropped
        }
    }

    /// Takes the oldest value, waiting for one; `nil` once the hand-off is closed and empty.
    func take() -> Value? {
        state.wait { state -> Value?? in
            if let value = state.values.popFirst() { return .some(value) }
            return state.isClosed ? .some(nil) : nil
        }
    }

    /// No value will follow: who waits for one gets `nil`.
    func close() {
        state.change { $0.isClosed = true }
    }

    /// How many values had to give way before anybody took them.
    var dropped: Int { state.withLock { $0.dropped } }
}
