/// A fixed number of plain values in one block of memory, with one owner.
///
/// An array would check before each write whether it is shared; this memory cannot be.
@safe
struct FixedStorage<Element: BitwiseCopyable>: ~Copyable, @unchecked Sendable {
    // Sendable by hand: this value is the only owner of the memory, and it cannot be copied.
    let count: Int
    fileprivate let base: UnsafeMutablePointer<Element>

    init(repeating initial: Element, count: Int) {
        precondition(count > 0, "storage for \(count) values")
        self.count = count
        unsafe base = .allocate(capacity: count)
        unsafe base.initialize(repeating: initial, count: count)
    }

    deinit {
        unsafe base.deallocate()
    }

    // Addresses instead of `_read` and `_modify`: with those, the thread sanitizer build produces a broken module
    // (Swift 6.3).
    subscript(index: Int) -> Element {
        @inline(__always)
        unsafeAddress { unsafe address(of: index) }
        @inline(__always)
        unsafeMutableAddress { unsafe mutableAddress(of: index) }
    }

    /// The address of a value, valid as long as this storage.
    @inline(__always)
    @unsafe
    func address(of index: Int) -> UnsafePointer<Element> {
        precondition(UInt(bitPattern: index) < UInt(bitPattern: count), "value \(index) of \(count)")
        return unsafe UnsafePointer(base + index)
    }

    /// The address of a value to change, valid as long as this storage.
    @inline(__always)
    @unsafe
    mutating func mutableAddress(of index: Int) -> UnsafeMutablePointer<Element> {
        precondition(UInt(bitPattern: index) < UInt(bitPattern: count), "value \(index) of \(count)")
        return unsafe base + index
    }

    /// The value at `index` in a power-of-two ring: any index is valid, so there is nothing to check.
    subscript(ring index: Int) -> Element {
        @inline(__always)
        unsafeAddress { unsafe ringAddress(of: index) }
        @inline(__always)
        unsafeMutableAddress { unsafe mutableRingAddress(of: index) }
    }

    /// The address of a value in the ring, valid as long as this storage.
    @inline(__always)
    @unsafe
    func ringAddress(of index: Int) -> UnsafePointer<Element> {
        unsafe UnsafePointer(base + (index & (count &- 1)))
    }

    /// The address of a value to change in the ring, valid as long as this storage.
    @inline(__always)
    @unsafe
    mutating func mutableRingAddress(of index: Int) -> UnsafeMutablePointer<Element> {
        unsafe base + (index & (count &- 1))
    }

    /// Moves `moved` values from index `source` to index `target`; the ranges may overlap.
    mutating func move(from source: Int, to target: Int, count moved: Int) {
        precondition(
            source >= 0 && target >= 0 && moved >= 0 && max(source, target) + moved <= count,
            "\(moved) values from \(source) to \(target) of \(count)")
        unsafe (base + target).update(from: base + source, count: moved)
    }
}
