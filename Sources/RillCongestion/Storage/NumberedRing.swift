/// Plain values by number, in memory of their own with one owner: a number's place is given by its lowest bits.
///
/// ```swift
/// var arrivals = NumberedRing<Int64>(capacity: 1024, filler: .min)
/// arrivals[number] = ticks  // takes the place of number - 1024
/// ```
///
/// An array would check before each write whether it is shared, and at each place whether it has it. This memory cannot be shared, and has
/// a place for every number.
@safe @usableFromInline
struct NumberedRing<Element: BitwiseCopyable>: ~Copyable {
    // This value is the only owner of the memory, and it cannot be copied. All of the memory is initialized.
    @usableFromInline var base: UnsafeMutablePointer<Element>
    /// The capacity, a power of two, less one: the place of a number is never above it.
    @usableFromInline let mask: Int

    /// A ring with the same value everywhere.
    ///
    /// - Parameters:
    ///   - capacity: how many values it holds, a power of two.
    ///   - filler: any value.
    @usableFromInline
    init(capacity: Int, filler: Element) {
        precondition(
            capacity > 0 && capacity & (capacity - 1) == 0, "a ring's capacity is a power of two, not \(capacity)")
        unsafe base = .allocate(capacity: capacity)
        unsafe base.initialize(repeating: filler, count: capacity)
        mask = capacity - 1
    }

    @inlinable
    deinit {
        unsafe base.deallocate()
    }

    @inlinable var capacity: Int { mask &+ 1 }

    /// The place of a number, below the capacity.
    @inlinable @inline(__always)
    func place(_ number: Int64) -> Int { Int(truncatingIfNeeded: number) & mask }

    /// The value of a number, or of one that differs by a multiple of the capacity.
    @inlinable
    subscript(number: Int64) -> Element {
        // An address, because `_read` may yield a copy of the whole value (Swift 6.3). A place is within the memory, whatever the number.
        @inline(__always)
        unsafeAddress { unsafe UnsafePointer(base + place(number)) }
        @inline(__always)
        unsafeMutableAddress { unsafe base + place(number) }
    }

    /// All values, by place.
    var values: Span<Element> {
        @_lifetime(borrow self)
        @inline(__always)
        get {
            // The memory belongs to this value, which the span borrows.
            let values = unsafe UnsafeBufferPointer(start: base, count: mask &+ 1)
            return unsafe _overrideLifetime(Span(_unsafeElements: values), borrowing: self)
        }
    }

    /// All values, by place.
    var mutableValues: MutableSpan<Element> {
        @_lifetime(&self)
        @inline(__always)
        mutating get {
            // The memory belongs to this value, of which the span has exclusive access.
            let values = unsafe UnsafeMutableBufferPointer(start: base, count: mask &+ 1)
            return unsafe _overrideLifetime(MutableSpan(_unsafeElements: values), mutating: &self)
        }
    }

    /// The ring while many of its values change: its place in memory does not.
    @safe
    struct Contents: ~Copyable, ~Escapable {
        // Valid as long as the ring is exclusively borrowed. All of it is initialized.
        private let base: UnsafeMutablePointer<Element>
        private let mask: Int

        @_lifetime(&ring)
        fileprivate init(_ ring: inout NumberedRing) {
            unsafe base = ring.base
            mask = ring.mask
        }

        subscript(number: Int64) -> Element {
            // A place is within the memory, whatever the number.
            @inline(__always)
            unsafeAddress { unsafe UnsafePointer(base + (Int(truncatingIfNeeded: number) & mask)) }
            @inline(__always)
            unsafeMutableAddress { unsafe base + (Int(truncatingIfNeeded: number) & mask) }
        }
    }

    /// The ring, to change many of its values.
    var contents: Contents {
        @_lifetime(&self)
        @inline(__always)
        mutating get { Contents(&self) }
    }

    /// Grows, and keeps the values of some numbers, at most as many as it had place for.
    @inline(never)
    mutating func grow(to capacity: Int, keeping numbers: Range<Int64>, filler: Element) {
        precondition(numbers.count <= self.capacity && self.capacity <= capacity, "\(numbers) of \(self.capacity)")
        var larger = NumberedRing(capacity: capacity, filler: filler)
        for number in numbers { larger[number] = self[number] }
        self = larger
    }
}

// The memory has one owner, which may be in any thread.
extension NumberedRing: @unchecked Sendable where Element: Sendable {}
