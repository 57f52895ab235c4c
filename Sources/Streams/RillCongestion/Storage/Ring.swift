/// The newest elements of a growing list, by number. The first element had the number 0. It allocates once.
struct Ring<Element: Sendable>: Sendable {
    private var storage: [Element]
    /// The capacity, a power of two, less one. The lowest bits of a number are its index.
    private let mask: Int
    /// Elements before this number are forgotten.
    private var start = 0
    /// The number of the next element.
    private(set) var end = 0

    /// Creates an empty ring.
    ///
    /// - Parameters:
    ///   - capacity: the maximum number of elements, a power of two. A further element replaces the oldest.
    ///   - filler: any value.
    init(capacity: Int, filler: Element) {
        precondition(
            capacity > 0 && capacity & (capacity - 1) == 0, "a ring's capacity is a power of two, not \(capacity)")
        storage = [Element](repeating: filler, count: capacity)
        mask = capacity - 1
    }

    /// The number of the oldest element; ``end`` if there is none.
    var first: Int { max(start, end &- mask &- 1) }
    var count: Int { end &- first }

    /// The element of a number; an arbitrary element if the ring does not hold that number.
    @inline(__always)
    subscript(number: Int) -> Element {
        let elements = storage.span
        // An index is below the capacity, which is the number of elements.
        return unsafe elements[unchecked: number & mask]
    }

    /// The newest element; `nil` if there is none.
    var newest: Element? { count == 0 ? nil : self[end &- 1] }

    @inline(__always)
    mutating func append(_ element: Element) {
        storage[end & mask] = element
        end &+= 1
    }

    /// The first number from `number` on whose element does not satisfy a condition, or the newest number. All
    /// elements that satisfy it must precede those that do not.
    @inline(__always)
    func skip(from number: Int, while condition: (Element) -> Bool) -> Int {
        let elements = storage.span
        var number = max(number, first)
        // An index is below the capacity, which is the number of elements.
        while number &+ 4 < end, unsafe condition(elements[unchecked: (number &+ 3) & mask]) { number &+= 4 }
        while number &+ 1 < end, unsafe condition(elements[unchecked: number & mask]) { number &+= 1 }
        return number
    }

    /// Forgets the elements before a number, at most ``end``.
    mutating func forget(before number: Int) { start = max(start, min(number, end)) }

    mutating func removeAll() { start = end }

    /// Access to the ring for many additions: one access to the array for all of them.
    struct Contents: ~Copyable, ~Escapable {
        private var elements: MutableSpan<Element>
        private let mask: Int
        fileprivate private(set) var start: Int
        private(set) var end: Int

        @_lifetime(copy elements)
        fileprivate init(_ elements: consuming MutableSpan<Element>, mask: Int, start: Int, end: Int) {
            self.elements = elements
            (self.mask, self.start, self.end) = (mask, start, end)
        }

        @inline(__always) @_lifetime(self: copy self)
        mutating func append(_ element: Element) {
            // An index is below the capacity, which is the number of elements.
            unsafe elements[unchecked: end & mask] = element
            end &+= 1
        }

        @_lifetime(self: copy self)
        mutating func removeAll() { start = end }
    }

    /// Passes the ring to `body`, which may add many elements.
    @inline(__always)
    mutating func update(_ body: (inout Contents) -> Void) {
        let (mask, start, end) = (mask, start, end)
        var contents = Contents(storage.mutableSpan, mask: mask, start: start, end: end)
        body(&contents)
        let changed = (contents.start, contents.end)
        (self.start, self.end) = changed
    }
}
