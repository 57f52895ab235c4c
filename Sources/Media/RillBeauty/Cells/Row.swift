import RillCore

/// A row of samples that a kernel processes: the address of the first sample, and the range around it that may be
/// accessed.
///
/// A kernel accesses thousands of samples in a row whose length was checked once. A check per sample would cost more
/// than the work. Debug builds check anyway.
@safe
struct Row {
    private let base: UnsafeMutablePointer<UInt8>
    /// The range of existing samples. In a cell plane it starts before 0 and ends after the width.
    let range: Range<Int>

    /// Creates a row at `base`. The samples in `range` must exist as long as the row is used.
    @unsafe
    init(_ base: UnsafeMutablePointer<UInt8>, _ range: Range<Int>) {
        unsafe self.base = unsafe base
        self.range = range
    }

    /// Creates a row for reading.
    @unsafe
    init(reading base: UnsafePointer<UInt8>, _ range: Range<Int>) {
        unsafe self.init(UnsafeMutablePointer(mutating: base), range)
    }

    /// One sample.
    @inline(__always)
    subscript(x: Int) -> UInt8 {
        get {
            assert(range.contains(x), "sample \(x) of \(range)")
            // Within the row, as debug builds check.
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

    /// Extends a row of `width` samples by `count` samples on each side, equal to the outermost one.
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
        // Both rows have that many samples and do not overlap.
        unsafe base.update(from: source.base, count: count)
    }
}

/// The rows of a frame's plane, for kernels. Nothing outside of its width may be accessed.
@safe
struct PictureRows {
    let width: Int
    let height: Int
    private let base: UnsafeMutablePointer<UInt8>
    private let stride: Int

    /// Creates the rows of a frame for reading. They must not outlive it.
    init(reading frame: borrowing VideoFrame, plane index: Int) {
        let plane = frame.layout[plane: index]
        (width, height, stride) = (plane.width, plane.height, plane.stride)
        // Never written through: `Row` serves reading and writing.
        unsafe base = UnsafeMutablePointer(mutating: frame.pointer(plane: index))
    }

    /// Creates the rows of a frame that is being filled. They must not outlive it.
    init(writing frame: inout MutableFrame, plane index: Int) {
        let plane = frame.layout[plane: index]
        (width, height, stride) = (plane.width, plane.height, plane.stride)
        unsafe base = frame.mutablePointer(plane: index)
    }

    /// Creates the rows of a cell plane without their padding. They must not outlive it.
    init(reading cells: borrowing CellPlane) {
        (width, height, stride) = (cells.width, cells.height, cells.stride)
        unsafe base = cells.firstSample
    }

    /// Returns row `y`, from 0 to `height` - 1.
    @inline(__always)
    func row(_ y: Int) -> Row {
        assert(y >= 0 && y < height, "row \(y) of \(height)")
        // The layout was checked against the block's size when the frame was created.
        return unsafe Row(base + y * stride, 0..<width)
    }

    /// Returns the row nearest to `y`, which may be outside.
    @inline(__always)
    func nearestRow(_ y: Int) -> Row { row(max(0, min(height - 1, y))) }
}
