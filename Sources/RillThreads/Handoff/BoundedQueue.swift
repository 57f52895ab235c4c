import RillCore

/// A queue of fixed length between two threads: the producer waits when it is full, the consumer when it is empty.
///
/// For offline work, where nothing may be lost and memory has a bound.
package final class BoundedQueue<Value: Sendable>: Sendable {
    private struct State: ~Copyable {
        var values: Ring<Value>
        var isClosed = false
    }

    private let state: Monitor<State>

    package init(capacity: Int) {
        precondition(capacity > 0, "a queue holds at least one value")
        self.state = Monitor(State(values: Ring(capacity: capacity)))
    }

    /// Appends `value`, waiting while the queue is full. `false`: the queue was closed, the value is lost.
    package func append(_ value: Value) -> Bool {
        state.wait { state -> Bool? in
            guard !state.isClosed else { return false }
            guard !state.values.isFull else { return nil }
            state.values.append(value)
            return true
        }
    }

    /// Appends `value` if there is room, and does not wait. `false`: the queue was full or closed.
    package func offer(_ value: Value) -> Bool {
        state.change { state in
            guard !state.isClosed, !state.values.isFull else { return false }
            state.values.append(value)
            return true
        }
    }

    /// Takes the oldest value, waiting for one; `nil` once the queue is closed and empty.
    package func next() -> Value? {
        state.wait { state -> Value?? in
            if let value = state.values.popFirst() { return .some(value) }
            return state.isClosed ? .some(nil) : nil
        }
    }

    /// No value will follow: what is in the queue is still given out, then `nil`.
    package func close() {
        state.change { $0.isClosed = true }
    }
}
