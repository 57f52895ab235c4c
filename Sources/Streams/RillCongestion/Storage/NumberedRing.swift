/// Plain values by number, in memory with one owner. The lowest bits of a number are its index.
///
/// ```swift
/// var arrivals = NumberedRing<Int64>(capacity: 1024, filler: .min)
/// arrivals[number] = ticks  // replaces that of number - 1024
/// ```
///
/// An array would check for shared storage before each write, and for its bounds at each access. This memory cannot
/// be shared, and every number has an index.
@safe @usableFromInline
struct NumberedRing<Element: BitwiseCopyable>: ~Copyable {
    // This value is the only owner of the memory, and it cannot be copied. All of the memory is initialized.
    @usableFromInline var base: UnsafeMutablePointer<Element>
    /// The capacity, a power of two, less one. An index never exceeds it.
    @usableFromInline let mask: Int

    /// Creates a ring with the same value everywhere.
    ///
    /// - Parameters:
    ///   - capacity: the number of values, a power of two.
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

    /// The index of a number, below the capacity.
    @inlinable @inline(__always)
    func place(_ number: Int64) -> Int { Int(truncatingIfNeeded: number) & mask }

    /// The value of a number, or of one that differs by a multiple of the capacity.
    @inlinable
    subscript(number: Int64) -> Element {
        // An address, because `_read` may yield a copy of the whole value (Swift 6.3). An index is within the memory
        // for every number.
        @inline(__always)
        unsafeAddress { unsafe UnsafePointer(base + place(number)) }
        @inline(__always)
        unsafeMutableAddress { unsafe base + place(number) }
    }

    /// All values, by index.
    var values: Span<Element> {
        @_lifetime(borrow self)
        @inline(__always)
        get {
            // The memory belongs to this value, which the span borrows.
            let values = unsafe UnsafeBufferPointer(start: base, count: mask &+ 1)
            return unsafe _overrideLifetime(Span(_unsafeElements: values), borrowing: self)
        }
    }

    /// All values, by index.
    var mutableValues: MutableSpan<Element> {
        @_lifetime(&self)
        @inline(__always)
        mutating get {
            // This value owns the memory, and the span has exclusive access to it.
            let values = unsafe UnsafeMutableBufferPointer(start: base, count: mask &+ 1)
            return unsafe _overrideLifetime(MutableSpan(_unsafeElements: values), mutating: &self)
        }
    }

    /// Exclusive access to the ring for many changes. The base address is loaded once.
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
            // An index is within the memory for every number.
            @inline(__always)
            unsafeAddress { unsafe UnsafePointer(base + (Int(truncatingIfNeeded: number) & mask)) }
            @inline(__always)
            unsafeMutableAddress { unsafe base + (Int(truncatingIfNeeded: number) & mask) }
        }
    }

    /// The ring, for many changes.
    var contents: Contents {
        @_lifetime(&self)
        @inline(__always)
        mutating get { Contents(&self) }
    }

    /// Grows the ring, and keeps the values of some numbers, at most the old capacity.
    @inline(never)
    mutating func grow(to capacity: Int, keeping numbers: Range<Int64>, filler: Element) {
        precondition(numbers.count <= self.capacity && self.capacity <= capacity, "\(numbers) of \(self.capacity)")
        var larger = NumberedRing(capacity: capacity, filler: filler)
        for number in numbers { larger[number] = self[number] }
        self = larger
    }
}

// The memory has one owner, which may be on any thread.
extension NumberedRing: @unchecked Sendable where Element: Sendable {}
