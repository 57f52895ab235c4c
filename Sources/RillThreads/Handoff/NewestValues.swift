/// A few places where the newest values win: for live video, which must not wait. A pure value: ``LatestValues`` is the same
/// between two threads.
///
/// Where there is no place for the next one, the oldest is dropped and counted; what it asked for can be carried over to its
/// successor.
package struct NewestValues<Value> {
    private var values: Ring<Value>
    /// How many values had to give way before anybody took them.
    package private(set) var dropped = 0

    package init(capacity: Int) {
        precondition(capacity > 0, "a hand-off holds at least one value")
        values = Ring(capacity: capacity + 1)
    }

    /// Puts `value` behind the others. If there is no place, the oldest is dropped: `absorb` gets (its successor, dropped)
    /// and gives the value that stands there then.
    ///
    /// - Returns: the dropped one.
    package mutating func put(_ value: Value, merging absorb: (Value, Value) -> Value) -> Value? {
        values.append(value)
        guard values.isFull, let oldest = values.popFirst() else { return nil }
        dropped += 1
        values.oldest = absorb(values.oldest, oldest)
        return oldest
    }

    /// Takes the oldest value, if there is one.
    package mutating func take() -> Value? { values.popFirst() }
}
