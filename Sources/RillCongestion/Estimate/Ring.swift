/// A queue of fixed capacity that forgets its oldest element when it is full. It allocates once.
struct Ring<Element: Sendable>: Sendable {
    private var storage: [Element]
    /// The place of the oldest element. A capacity is a power of two, so that a place costs one operation.
    private var start = 0
    private let mask: Int
    private(set) var count = 0

    /// An empty ring.
    ///
    /// - Parameters:
    ///   - capacity: the most elements that it holds, a power of two.
    ///   - filler: any value.
    init(capacity: Int, filler: Element) {
        precondition(
            capacity > 0 && capacity & (capacity - 1) == 0, "a ring's capacity is a power of two, not \(capacity)")
        storage = [Element](repeating: filler, count: capacity)
        mask = capacity - 1
    }

    var isEmpty: Bool { count == 0 }
    var capacity: Int { mask &+ 1 }

    /// The element at a place, 0 being the oldest.
    @inline(__always)
    subscript(index: Int) -> Element { storage[(start &+ index) & mask] }

    var first: Element? { count > 0 ? self[0] : nil }
    var last: Element? { count > 0 ? self[count &- 1] : nil }

    @inline(__always)
    mutating func append(_ element: Element) {
        storage[(start &+ count) & mask] = element
        if count > mask { start = (start &+ 1) & mask } else { count &+= 1 }
    }

    @inline(__always)
    mutating func removeFirst() {
        precondition(count > 0, "an empty ring has no first element")
        start = (start &+ 1) & mask
        count &-= 1
    }

    mutating func removeAll() { (start, count) = (0, 0) }
}
