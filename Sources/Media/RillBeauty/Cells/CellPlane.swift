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

/// A part of a plane: rows, and vectors of sixteen samples in each.
struct CellArea: Equatable {
    var rows: Range<Int>
    var vectors: Range<Int>

    /// Nothing.
    static let none = CellArea(rows: 0..<0, vectors: 0..<0)

    var isEmpty: Bool { rows.isEmpty || vectors.isEmpty }

    /// The columns of the vectors.
    var columns: Range<Int> { 16 * vectors.lowerBound..<16 * vectors.upperBound }

    /// The smallest area that contains both.
    func union(_ other: CellArea) -> CellArea {
        guard !isEmpty else { return other }
        guard !other.isEmpty else { return self }
        return CellArea(rows: hull(rows, other.rows), vectors: hull(vectors, other.vectors))
    }

    /// The same area of a plane of twice the size, and what is beside it.
    func enlarged(height: Int, vectorCount: Int) -> CellArea {
        guard !isEmpty else { return self }
        return CellArea(
            rows: max(0, 2 * rows.lowerBound - 1)..<min(height, 2 * rows.upperBound + 1),
            vectors: max(0, 2 * vectors.lowerBound - 1)..<min(vectorCount, 2 * vectors.upperBound + 1))
    }
}

extension CellArea {
    /// The part of a plane that contains these columns and rows, as far as they exist.
    init(columns: Range<Int>, rows: Range<Int>, of plane: borrowing CellPlane) {
        let columns = columns.clamped(to: 0..<plane.width)
        let rows = rows.clamped(to: 0..<plane.height)
        guard !columns.isEmpty, !rows.isEmpty else {
            self = .none
            return
        }
        self.init(rows: rows, vectors: columns.lowerBound / 16..<(columns.upperBound + 15) / 16)
    }
}

/// The range of vectors in each row where a mask is not 0, from the first to the last. Areas outside of faces and
/// hands are not processed again.
final class MaskSpans {
    private var rows: [RowSpans]

    private struct RowSpans {
        /// Where the mask is not 0, and where it or the previous mask is not 0.
        var here, touched: Range<Int>
    }

    /// Creates empty spans for a mask of that many rows.
    init(height: Int) {
        rows = [RowSpans](repeating: RowSpans(here: 0..<0, touched: 0..<0), count: height)
    }

    /// Finds the spans of a mask of that height.
    func find(in mask: borrowing CellPlane) { MaskSpans.find(in: mask, &rows) }

    // A single access to `rows` for all of them: each access costs as much as processing a row.
    private static func find(in mask: borrowing CellPlane, _ rows: inout [RowSpans]) {
        for y in 0..<mask.height {
            let row = mask.row(y)
            var (first, end) = (0, mask.vectorCount)
            while first < end, row[bytes: 16 &* first].isZero { first &+= 1 }
            while end > first, row[bytes: 16 &* (end &- 1)].isZero { end &-= 1 }
            rows[y] = RowSpans(here: first..<end, touched: hull(rows[y].here, first..<end))
        }
    }

    /// The vectors of row `y`; none if it is all 0.
    subscript(y: Int) -> Range<Int> { rows[y].here }

    /// Returns the vectors of row `y` in this mask or the previous one. They must be rewritten in a plane that
    /// started with zeros and must be 0 outside of the mask.
    func touched(_ y: Int) -> Range<Int> { rows[y].touched }

    /// Returns the vectors that a row of pixels between two rows of cells needs: those of both, and one more on each
    /// side for the neighbors; none if both are empty.
    func around(_ near: Int, _ far: Int) -> Range<Int> { MaskSpans.around(rows[near].here, rows[far].here) }

    /// Returns the same for the vectors that must be rewritten.
    func touchedAround(_ near: Int, _ far: Int) -> Range<Int> {
        MaskSpans.around(rows[near].touched, rows[far].touched)
    }

    private static func around(_ a: Range<Int>, _ b: Range<Int>) -> Range<Int> {
        let both = hull(a, b)
        return both.isEmpty ? both : max(0, both.lowerBound - 1)..<both.upperBound + 1
    }
}

/// The smallest range that contains both.
private func hull(_ a: Range<Int>, _ b: Range<Int>) -> Range<Int> {
    guard !a.isEmpty else { return b }
    guard !b.isEmpty else { return a }
    return min(a.lowerBound, b.lowerBound)..<max(a.upperBound, b.upperBound)
}
