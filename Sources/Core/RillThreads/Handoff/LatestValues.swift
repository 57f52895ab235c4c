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
