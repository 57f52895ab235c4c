/// The newest elements of a list that only grows, by number: the first element ever had the number 0. It allocates once.
struct Ring<Element: Sendable>: Sendable {
    private var storage: [Element]
    /// The capacity, a power of two, less one: the place of a number is its lowest bits.
    private let mask: Int
    /// No element before this one counts.
    private var start = 0
    /// The number of the next element.
    private(set) var end = 0

    /// An empty ring.
    ///
    /// - Parameters:
    ///   - capacity: the most elements that it holds, a power of two: beyond that the oldest are forgotten.
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

    /// The element of a number; of one that the ring does not hold, any element.
    @inline(__always)
    subscript(number: Int) -> Element {
        let elements = storage.span
        // A place is below the capacity, as many as there are elements.
        return unsafe elements[unchecked: number & mask]
    }

    /// The newest element; `nil` if there is none.
    var newest: Element? { count == 0 ? nil : self[end &- 1] }

    @inline(__always)
    mutating func append(_ element: Element) {
        storage[end & mask] = element
        end &+= 1
    }

    /// The number of the first element from a number on that does not satisfy a condition, or of the newest element. From that number on the
    /// elements that satisfy it come before those that do not.
    @inline(__always)
    func skip(from number: Int, while condition: (Element) -> Bool) -> Int {
        let elements = storage.span
        var number = max(number, first)
        // A place is below the capacity, as many as there are elements.
        while number &+ 4 < end, unsafe condition(elements[unchecked: (number &+ 3) & mask]) { number &+= 4 }
        while number &+ 1 < end, unsafe condition(elements[unchecked: number & mask]) { number &+= 1 }
        return number
    }

    /// Forgets the elements before a number, which is ``end`` at most.
    mutating func forget(before number: Int) { start = max(start, min(number, end)) }

    mutating func removeAll() { start = end }

    /// The ring while many elements are added: one access to the array for all of them.
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
            // A place is below the capacity, as many as there are elements.
            unsafe elements[unchecked: end & mask] = element
            end &+= 1
        }

        @_lifetime(self: copy self)
        mutating func removeAll() { start = end }
    }

    /// Passes the ring on, so that many elements can be added.
    @inline(__always)
    mutating func update(_ body: (inout Contents) -> Void) {
        let (mask, start, end) = (mask, start, end)
        var contents = Contents(storage.mutableSpan, mask: mask, start: start, end: end)
        body(&contents)
        let changed = (contents.start, contents.end)
        (self.start, self.end) = changed
    }
}
