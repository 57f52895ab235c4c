/// A row of samples that a kernel works on: the address of its first one, and how far it may reach around it.
///
/// A kernel looks at thousands of samples in a row whose length was checked when it was made, so that a check for each
/// sample would cost more than the work. Debug builds check all the same.
@safe
struct Row {
    private let base: UnsafeMutablePointer<UInt8>
    /// The samples that exist, the first one being 0: those of a plane of cells begin before 0 and end behind its width.
    let range: Range<Int>

    /// A row at `base`, of which `range` exists for as long as the row is used.
    @unsafe
    init(_ base: UnsafeMutablePointer<UInt8>, _ range: Range<Int>) {
        unsafe self.base = unsafe base
        self.range = range
    }

    /// A row that is only read.
    @unsafe
    init(reading base: UnsafePointer<UInt8>, _ range: Range<Int>) {
        unsafe self.init(UnsafeMutablePointer(mutating: base), range)
    }

    /// One sample.
    @inline(__always)
    subscript(x: Int) -> UInt8 {
        get {
            assert(range.contains(x), "sample \(x) of \(range)")
            // Within the row: the debug build has checked it.
            return unsafe base[x]
        }
        nonmutating set {
            assert(range.contains(x), "sample \(x) of \(range)")
            // As above.
            unsafe base[x] = newValue
        }
    }

    /// Sixteen samples from `x` on.
    @inline(__always)
    subscript(bytes x: Int) -> Bytes {
        get {
            assert(x >= range.lowerBound && x + 16 <= range.upperBound, "samples \(x)..<\(x + 16) of \(range)")
            // As above.
            return unsafe UnsafeRawPointer(base + x).loadUnaligned(as: Bytes.self)
        }
        nonmutating set {
            assert(x >= range.lowerBound && x + 16 <= range.upperBound, "samples \(x)..<\(x + 16) of \(range)")
            // As above.
            unsafe UnsafeMutableRawPointer(base + x).storeBytes(of: newValue, as: Bytes.self)
        }
    }

    /// Continues a row of `width` samples by its outermost ones on both sides, `count` samples each.
    @inline(__always)
    func extend(width: Int, by count: Int) {
        for distance in 1...count {
            self[-distance] = self[0]
            self[width - 1 + distance] = self[width - 1]
        }
    }

    /// Copies the first `count` samples of another row.
    func copy(_ source: Row, count: Int) {
        assert(source.range.lowerBound <= 0 && range.lowerBound <= 0)
        assert(source.range.upperBound >= count && range.upperBound >= count)
        // Both rows have that many samples, and are not the same memory.
        unsafe base.update(from: source.base, count: count)
    }
}
