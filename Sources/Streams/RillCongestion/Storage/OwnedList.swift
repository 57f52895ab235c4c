/// An array of noncopyable values.
@safe @usableFromInline
struct OwnedList<Element: ~Copyable>: ~Copyable {
    // This value is the only owner of the memory, of which the first `count` values are initialized.
    @usableFromInline var base: UnsafeMutablePointer<Element>
    private var capacity = 4
    @usableFromInline var count = 0

    /// An empty list.
    init() { unsafe base = .allocate(capacity: capacity) }

    @inlinable
    deinit {
        unsafe base.deinitialize(count: count)
        unsafe base.deallocate()
    }

    var indices: Range<Int> { 0..<count }

    /// Adds a value at the end.
    mutating func append(_ value: consuming Element) {
        if count == capacity { grow() }
        // There is room.
        unsafe (base + count).initialize(to: value)
        count += 1
    }

    /// The value at an index; traps if there is none.
    subscript(index: Int) -> Element {
        unsafeAddress {
            precondition(index >= 0 && index < count, "value \(index) of \(count)")
            return unsafe UnsafePointer(base + index)
        }
        unsafeMutableAddress {
            precondition(index >= 0 && index < count, "value \(index) of \(count)")
            return unsafe base + index
        }
    }

    private mutating func grow() {
        capacity *= 2
        let larger = UnsafeMutablePointer<Element>.allocate(capacity: capacity)
        unsafe larger.moveInitialize(from: base, count: count)
        unsafe base.deallocate()
        unsafe base = larger
    }
}

// The memory has one owner, which may be on any thread.
extension OwnedList: @unchecked Sendable where Element: Sendable & ~Copyable {}
