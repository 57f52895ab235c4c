import RillCore

/// A hand-off of a few places between two threads where the newest values win: ``NewestValues``, which a consumer can wait
/// for.
package final class LatestValues<Value: Sendable>: Sendable {
    private struct State: ~Copyable {
        var values: NewestValues<Value>
        var isClosed = false
    }

    private let state: Monitor<State>

    package init(capacity: Int) {
        self.state = Monitor(State(values: NewestValues(capacity: capacity)))
    }

    /// Puts `value` behind the others, in place of the oldest where there is no place; see ``NewestValues``.
    ///
    /// - Returns: the dropped one.
    @discardableResult
    package func put(_ value: Value, merging absorb: (Value, Value) -> Value) -> Value? {
        state.change { $0.values.put(value, merging: absorb) }
    }

    /// Takes the oldest value, waiting for one; `nil` once the hand-off is closed and empty.
    package func take() -> Value? {
        state.wait { state -> Value?? in
            if let value = state.values.take() { return .some(value) }
            return state.isClosed ? .some(nil) : nil
        }
    }

    /// No value will follow: who waits for one gets `nil`.
    package func close() {
        state.change { $0.isClosed = true }
    }

    /// How many values had to give way before anybody took them.
    package var dropped: Int { state.withLock { $0.values.dropped } }
}
