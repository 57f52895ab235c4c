import RillCore

/// A bounded queue between two threads. The producer waits while it is full, the consumer while it is empty.
///
/// For offline work, where no value may be lost and memory must be bounded.
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

    /// Appends `value`, waiting while the queue is full. Returns `false` if the queue was closed and the value is
    /// lost.
    package func append(_ value: Value) -> Bool {
        state.wait { state -> Bool? in
            guard !state.isClosed else { return false }
            guard !state.values.isFull else { return nil }
            state.values.append(value)
            return true
        }
    }

    /// Appends `value` if there is room, without waiting. Returns `false` if the queue is full or closed.
    package func offer(_ value: Value) -> Bool {
        state.change { state in
            guard !state.isClosed, !state.values.isFull else { return false }
            state.values.append(value)
            return true
        }
    }

    /// Removes and returns the oldest value, waiting for one; `nil` once the queue is closed and empty.
    package func next() -> Value? {
        state.wait { state -> Value?? in
            if let value = state.values.popFirst() { return .some(value) }
            return state.isClosed ? .some(nil) : nil
        }
    }

    /// Closes the queue: values already in it can still be removed, then ``next()`` returns `nil`.
    package func close() {
        state.change { $0.isClosed = true }
    }
}

/// A first-in, first-out queue of fixed capacity, allocated once at creation. One owner.
struct Ring<Value> {
    private var places: [Value?]
    private var first = 0
    private(set) var count = 0

    init(capacity: Int) {
        precondition(capacity > 0, "a ring has at least one place")
        places = [Value?](repeating: nil, count: capacity)
    }

    var isFull: Bool { count == places.count }

    /// The oldest value. Traps if the ring is empty.
    var oldest: Value {
        get {
            guard let value = places[first] else { preconditionFailure("the ring is empty") }
            return value
        }
        set {
            precondition(count > 0, "the ring is empty")
            places[first] = newValue
        }
    }

    /// Appends a value. Traps if the ring is full.
    mutating func append(_ value: Value) {
        precondition(!isFull, "the ring is full")
        places[place(count)] = value
        count += 1
    }

    /// Removes and returns the oldest value, if there is one.
    mutating func popFirst() -> Value? {
        guard count > 0 else { return nil }
        let value = places[first].take()
        first = place(1)
        count -= 1
        return value
    }

    /// The index of the value at `offset` from the oldest. Avoids a division, because it runs for each frame.
    private func place(_ offset: Int) -> Int {
        let place = first + offset
        return place < places.count ? place : place - places.count
    }
}
