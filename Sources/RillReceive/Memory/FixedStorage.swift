/// A fixed number of plain values in one block of memory, with one owner.
///
/// An array would ask before each write whether it is shared; this cannot be.
@safe
struct FixedStorage<Element: BitwiseCopyable>: ~Copyable, @unchecked Sendable {
    // Sendable by hand: this value is the only owner of the memory, and it cannot be copied.
    let count: Int
    private let base: UnsafeMutablePointer<Element>

    init(repeating initial: Element, count: Int) {
        precondition(count > 0, "storage for \(count) values")
        self.count = count
        unsafe base = .allocate(capacity: count)
        unsafe base.initialize(repeating: initial, count: count)
    }

    deinit {
        unsafe base.deallocate()
    }

    // Addresses, not `_read` and `_modify`: of those the thread sanitizer's build makes a broken module (Swift 6.3).
    subscript(index: Int) -> Element {
        @inline(__always)
        unsafeAddress {
            precondition(index >= 0 && index < count, "value \(index) of \(count)")
            return unsafe UnsafePointer(base + index)
        }
        @inline(__always)
        unsafeMutableAddress {
            precondition(index >= 0 && index < count, "value \(index) of \(count)")
            return unsafe base + index
        }
    }

    /// Moves `count` values from place `source` on to place `target` on; the two may overlap.
    mutating func move(from source: Int, to target: Int, count moved: Int) {
        precondition(
            source >= 0 && target >= 0 && moved >= 0 && max(source, target) + moved <= count,
            "\(moved) values from \(source) to \(target) of \(count)")
        unsafe (base + target).update(from: base + source, count: moved)
    }
}
