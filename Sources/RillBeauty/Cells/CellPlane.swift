/// One number from 0 to 255 for each cell of a picture, a cell being two by two pixels, so that there are as many as samples
/// of chroma; or for each block of two by two cells.
///
/// Rows are padded on both sides, so that kernels take whole vectors and look at neighbours without asking where they are.
/// What the padding holds never matters to a cell.
@safe
struct CellPlane: ~Copyable {
    let width: Int
    let height: Int
    /// Samples from one row to the next.
    let stride: Int
    private let memory: UnsafeMutablePointer<UInt8>

    /// Samples before and behind a row that may be read and written.
    static let padding = 32

    /// A plane of zeros.
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

    /// How many vectors a row has.
    var vectorCount: Int { (width + 15) / 16 }

    /// Row `y`, from 0 to `height` - 1. It must not outlive the plane.
    @inline(__always)
    func row(_ y: Int) -> Row {
        assert(y >= 0 && y < height, "row \(y) of \(height)")
        // The row and its padding lie within the memory, as the debug build has checked.
        return unsafe Row(
            memory + y * stride + CellPlane.padding, -CellPlane.padding..<stride - CellPlane.padding)
    }

    /// The row that is nearest to `y`, which may lie outside.
    @inline(__always)
    func nearestRow(_ y: Int) -> Row { row(max(0, min(height - 1, y))) }

    /// Continues all rows by their outermost samples, one on each side.
    func extendRows() {
        for y in 0..<height { extend(y) }
    }

    /// Continues row `y` by its outermost samples on both sides, `count` samples each.
    @inline(__always)
    func extend(_ y: Int, by count: Int = 1) { row(y).extend(width: width, by: count) }
}
