/// A queue of fixed capacity that forgets its oldest element when it is full. It allocates once.
struct Ring<Element: Sendable>: Sendable {
    /// Which places of the storage are used.
    struct Window: Sendable {
        /// The place of the oldest element. A capacity is a power of two, so that a place costs one operation.
        private(set) var first = 0
        private(set) var count = 0
        private let mask: Int

        init(capacity: Int) { mask = capacity - 1 }

        var capacity: Int { mask &+ 1 }

        /// The place of an element, 0 being the oldest.
        @inline(__always)
        func place(_ index: Int) -> Int { (first &+ index) & mask }

        /// Adds an element, and returns its place; forgets the oldest one if all places are used.
        @inline(__always)
        mutating func append() -> Int {
            let place = place(count)
            if count > mask { first = self.place(1) } else { count &+= 1 }
            return place
        }

        @inline(__always)
        mutating func removeFirst() {
            precondition(count > 0, "an empty ring has no first element")
            first = place(1)
            count &-= 1
        }

        mutating func removeAll() { (first, count) = (0, 0) }
    }

    private var storage: [Element]
    private(set) var window: Window

    /// An empty ring.
    ///
    /// - Parameters:
    ///   - capacity: the most elements that it holds, a power of two.
    ///   - filler: any value.
    init(capacity: Int, filler: Element) {
        precondition(
            capacity > 0 && capacity & (capacity - 1) == 0, "a ring's capacity is a power of two, not \(capacity)")
        storage = [Element](repeating: filler, count: capacity)
        window = Window(capacity: capacity)
    }

    var isEmpty: Bool { window.count == 0 }
    var count: Int { window.count }
    var capacity: Int { window.capacity }

    /// The element at a place, 0 being the oldest.
    @inline(__always)
    subscript(index: Int) -> Element { storage[window.place(index)] }

    var first: Element? { count > 0 ? self[0] : nil }
    var last: Element? { count > 0 ? self[count &- 1] : nil }

    @inline(__always)
    mutating func append(_ element: Element) { storage[window.append()] = element }

    @inline(__always)
    mutating func removeFirst() { window.removeFirst() }

    mutating func removeAll() { window.removeAll() }

    /// Passes the newest elements on, the newest first, until `body` returns `false`.
    ///
    /// - Parameters:
    ///   - most: how many at most.
    ///   - body: receives an element.
    /// - Returns: how many `body` took.
    @inline(__always)
    func fromNewest(_ most: Int, _ body: (Element) -> Bool) -> Int {
        let elements = storage.span
        let end = window.first &+ window.count
        let start = max(window.first, end &- most)
        guard end > elements.count else { return Ring.fromEnd(of: elements.extracting(start..<end), body) }
        // Those at the storage's start are newer than those at its end.
        let newer = elements.extracting(max(0, start &- elements.count)..<(end &- elements.count))
        let taken = Ring.fromEnd(of: newer, body)
        guard taken == newer.count, start < elements.count else { return taken }
        return taken &+ Ring.fromEnd(of: elements.extracting(start...), body)
    }

    @inline(__always)
    private static func fromEnd(of elements: Span<Element>, _ body: (Element) -> Bool) -> Int {
        var index = elements.count
        while index > 0 {
            index &-= 1
            // From the count down to 0: it is in bounds.
            guard unsafe body(elements[unchecked: index]) else { return elements.count &- 1 &- index }
        }
        return elements.count
    }

    /// The elements while many of them change: one access to the array, and one place for what changes with each.
    struct Contents: ~Copyable, ~Escapable {
        private(set) var window: Window
        private var elements: MutableSpan<Element>

        @_lifetime(copy elements)
        fileprivate init(_ window: Window, _ elements: consuming MutableSpan<Element>) {
            self.window = window
            self.elements = elements
        }

        var count: Int { window.count }
        var isFull: Bool { window.count == window.capacity }

        /// The oldest element; one that was there before if there is none.
        @inline(__always)
        var first: Element {
            // A place is below the capacity, and all places have an element.
            unsafe elements[unchecked: window.first]
        }

        @inline(__always) @_lifetime(self: copy self)
        mutating func append(_ element: Element) {
            // A place is below the capacity.
            unsafe elements[unchecked: window.append()] = element
        }

        @inline(__always) @_lifetime(self: copy self)
        mutating func removeFirst() { window.removeFirst() }

        @_lifetime(self: copy self)
        mutating func removeAll() { window.removeAll() }
    }

    /// Passes the contents on.
    @inline(__always)
    mutating func update<Result>(_ body: (inout Contents) -> Result) -> Result {
        let window = window
        var contents = Contents(window, storage.mutableSpan)
        let result = body(&contents)
        let changed = contents.window
        self.window = changed
        return result
    }
}
