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
