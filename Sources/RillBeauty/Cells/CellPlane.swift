/// A plane with one value from 0 to 255 per cell of a picture, or per block of two by two cells. A cell is two by two
/// pixels, so there are as many cells as chroma samples.
///
/// Rows are padded on both sides, so kernels process whole vectors and read neighbors without bounds checks. The
/// content of the padding never affects a cell.
@safe
struct CellPlane: ~Copyable {
    let width: Int
    let height: Int
    /// Samples from one row to the next.
    let stride: Int
    private let memory: UnsafeMutablePointer<UInt8>

    /// Samples before and after a row that may be read and written.
    static let padding = 32

    /// Creates a plane of zeros.
    init(width: Int, height: Int) {
        self.width = width
        self.height = height
        stride = (width + 15) / 16 * 16 + 2 * CellPlane.padding
        unsafe memory = .allocate(capacity: stride * height)
        unsafe memory.initialize(repeating: 0, count: stride * height)
    }

    deinit { unsafe memory.deallocate() }

    /// The address of the first sample.
    @unsafe
    var firstSample: UnsafeMutablePointer<UInt8> { unsafe memory + CellPlane.padding }

    /// The number of vectors in a row.
    var vectorCount: Int { (width + 15) / 16 }

    /// Returns row `y`, from 0 to `height` - 1. It must not outlive the plane.
    @inline(__always)
    func row(_ y: Int) -> Row {
        assert(y >= 0 && y < height, "row \(y) of \(height)")
        // The row and its padding are within the memory, as debug builds check.
        return unsafe Row(
            memory + y * stride + CellPlane.padding, -CellPlane.padding..<stride - CellPlane.padding)
    }

    /// Returns the row nearest to `y`, which may be outside.
    @inline(__always)
    func nearestRow(_ y: Int) -> Row { row(max(0, min(height - 1, y))) }

    /// Extends all rows by one sample on each side, equal to the outermost one.
    func extendRows() {
        for y in 0..<height { extend(y) }
    }

    /// Extends row `y` by `count` samples on each side, equal to the outermost one.
    @inline(__always)
    func extend(_ y: Int, by count: Int = 1) { row(y).extend(width: width, by: count) }
}
