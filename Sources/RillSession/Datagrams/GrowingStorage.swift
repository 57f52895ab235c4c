/// Plain values in one growing block of memory, with one owner.
///
/// An array would check before each write whether it is shared; this memory cannot be.
@safe
struct GrowingStorage<Element: BitwiseCopyable>: ~Copyable {
    // This value is the only owner of the memory, and it cannot be copied.
    private var base: UnsafeMutablePointer<Element>
    private(set) var capacity: Int
    /// The number of values, from the start of the memory.
    private(set) var count = 0

    init(capacity: Int) {
        self.capacity = capacity
        unsafe base = .allocate(capacity: capacity)
    }

    deinit {
        unsafe base.deallocate()
    }

    @inline(__always)
    mutating func append(_ value: Element) {
        if count == capacity { grow(to: 2 * capacity) }
        // There is room, and plain values only need to be written.
        unsafe (base + count).initialize(to: value)
        count += 1
    }

    /// Appends all of `values`, and reserves space for `room` more after them, which must not be read.
    @inline(__always)
    mutating func append(copying values: Span<Element>, room: Int) {
        let needed = count + values.count + room
        if needed > capacity { grow(to: max(needed, 2 * capacity)) }
        unsafe values.withUnsafeBufferPointer { values in
            guard let start = values.baseAddress else { return }
            // There is room, and a span cannot be in memory that is being changed.
            unsafe (base + count).initialize(from: start, count: values.count)
        }
        count = needed
    }

    /// Reserves `room` more values at the end, which must not be read before they are replaced.
    mutating func reserve(_ room: Int) {
        if count + room > capacity { grow(to: max(count + room, 2 * capacity)) }
        count += room
    }

    /// Replaces the values from `start` on.
    @inline(__always)
    mutating func replace(from start: Int, with values: Span<Element>) {
        precondition(start >= 0 && start + values.count <= count, "values \(start) + \(values.count) of \(count)")
        unsafe values.withUnsafeBufferPointer { values in
            guard let first = values.baseAddress else { return }
            // The range is within the memory, and a span cannot be in memory that is being changed.
            unsafe (base + start).update(from: first, count: values.count)
        }
    }

    @inline(never)
    private mutating func grow(to capacity: Int) {
        let larger = UnsafeMutablePointer<Element>.allocate(capacity: capacity)
        unsafe larger.initialize(from: base, count: count)
        unsafe base.deallocate()
        unsafe base = larger
        self.capacity = capacity
    }

    mutating func removeAll() { count = 0 }

    subscript(index: Int) -> Element {
        @inline(__always)
        get {
            precondition(UInt(bitPattern: index) < UInt(bitPattern: count), "value \(index) of \(count)")
            return unsafe base[index]
        }
        @inline(__always)
        set {
            precondition(UInt(bitPattern: index) < UInt(bitPattern: count), "value \(index) of \(count)")
            unsafe base[index] = newValue
        }
    }

    /// Calls `body` with the values of `range`, and the room after them.
    @inline(__always)
    mutating func withOutput(of range: Range<Int>, room: Int, _ body: (inout OutputSpan<Element>) -> Void) {
        precondition(
            range.lowerBound >= 0 && room >= 0 && range.upperBound + room <= count, "values \(range) of \(count)")
        let memory = unsafe UnsafeMutableBufferPointer(start: base + range.lowerBound, count: range.count + room)
        // The range is within the memory, which is exclusive to this call.
        var output = unsafe OutputSpan(buffer: memory, initializedCount: range.count)
        body(&output)
        _ = unsafe output.finalize(for: memory)
    }

    /// The values of `range`; valid until something is appended.
    @inline(__always)
    @_lifetime(borrow self)
    func values(of range: Range<Int>) -> Span<Element> {
        precondition(range.lowerBound >= 0 && range.upperBound <= count, "values \(range) of \(count)")
        let values = unsafe UnsafeBufferPointer(start: base + range.lowerBound, count: range.count)
        // The memory belongs to this value, which the span borrows.
        return unsafe _overrideLifetime(Span(_unsafeElements: values), borrowing: self)
    }
}
