/// A first-in, first-out queue in a fixed number of places: it allocates once, when it is made. One owner.
struct Ring<Value> {
    private var places: [Value?]
    private var first = 0
    private(set) var count = 0

    init(capacity: Int) {
        precondition(capacity > 0, "a ring has at least one place")
        places = [Value?](repeating: nil, count: capacity)
    }

    var isFull: Bool { count == places.count }

    /// The oldest value; there must be one.
    var oldest: Value {
        get {
            guard let value = places[first] else { preconditionFailure("a ring without a value has no oldest one") }
            return value
        }
        set {
            precondition(count > 0, "a ring without a value has no oldest one")
            places[first] = newValue
        }
    }

    /// Puts a value behind the others; the ring must not be full.
    mutating func append(_ value: Value) {
        precondition(!isFull, "the ring is full")
        places[place(count)] = value
        count += 1
    }

    /// Takes the oldest value out, if there is one.
    mutating func popFirst() -> Value? {
        guard count > 0 else { return nil }
        let value = places[first].take()
        first = place(1)
        count -= 1
        return value
    }

    /// Where the value is that stands so far behind the oldest. No division: it is on the way of each frame.
    private func place(_ offset: Int) -> Int {
        let place = first + offset
        return place < places.count ? place : place - places.count
    }
}
