import RillCore

/// A hand-off of the newest values between two threads: ``NewestValues`` on which a consumer can wait.
package final class LatestValues<Value: Sendable>: Sendable {
    private struct State: ~Copyable {
        var values: NewestValues<Value>
        var isClosed = false
    }

    private let state: Monitor<State>

    package init(capacity: Int) {
        self.state = Monitor(State(values: NewestValues(capacity: capacity)))
    }

    /// Appends `value`, dropping the oldest one if there is no room; see ``NewestValues``.
    ///
    /// - Parameters:
    ///   - value: the value to append.
    ///   - absorb: combines the dropped value's successor and the dropped value into the new successor.
    /// - Returns: the dropped value, if any.
    @discardableResult
    package func put(_ value: Value, merging absorb: (Value, Value) -> Value) -> Value? {
        state.change { $0.values.put(value, merging: absorb) }
    }

    /// Removes and returns the oldest value, waiting for one; `nil` once the hand-off is closed and empty.
    package func take() -> Value? {
        state.wait { state -> Value?? in
            if let value = state.values.take() { return .some(value) }
            return state.isClosed ? .some(nil) : nil
        }
    }

    /// Closes the hand-off: values already in it can still be removed, then ``take()`` returns `nil`.
    package func close() {
        state.change { $0.isClosed = true }
    }

    /// The number of values that were dropped before they were taken.
    package var dropped: Int { state.withLock { $0.values.dropped } }
}

/// A small queue that keeps the newest values, for live video, which must not wait.
///
/// A plain value; ``LatestValues`` is its counterpart between two threads. If there is no room for the next value,
/// the oldest is dropped and counted. Its requests can be merged into its successor.
package struct NewestValues<Value> {
    private var values: Ring<Value>
    /// The number of values that were dropped before they were taken.
    package private(set) var dropped = 0

    package init(capacity: Int) {
        precondition(capacity > 0, "a hand-off holds at least one value")
        values = Ring(capacity: capacity + 1)
    }

    /// Appends `value`. If there is no room, drops the oldest value.
    ///
    /// - Parameters:
    ///   - value: the value to append.
    ///   - absorb: combines the dropped value's successor and the dropped value into the new successor.
    /// - Returns: the dropped value, if any.
    package mutating func put(_ value: Value, merging absorb: (Value, Value) -> Value) -> Value? {
        values.append(value)
        guard values.isFull, let oldest = values.popFirst() else { return nil }
        dropped += 1
        values.oldest = absorb(values.oldest, oldest)
        return oldest
    }

    /// Removes and returns the oldest value, if there is one.
    package mutating func take() -> Value? { values.popFirst() }
}
