/// A part of a plane: rows, and vectors of sixteen samples in each.
struct CellArea: Equatable {
    var rows: Range<Int>
    var vectors: Range<Int>

    /// Nothing.
    static let none = CellArea(rows: 0..<0, vectors: 0..<0)

    init(rows: Range<Int>, vectors: Range<Int>) { (self.rows, self.vectors) = (rows, vectors) }

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

    var isEmpty: Bool { rows.isEmpty || vectors.isEmpty }

    /// The columns of the vectors.
    var columns: Range<Int> { 16 * vectors.lowerBound..<16 * vectors.upperBound }

    /// The smallest area that contains both.
    func union(_ other: CellArea) -> CellArea {
        guard !isEmpty else { return other }
        guard !other.isEmpty else { return self }
        func union(_ a: Range<Int>, _ b: Range<Int>) -> Range<Int> {
            min(a.lowerBound, b.lowerBound)..<max(a.upperBound, b.upperBound)
        }
        return CellArea(rows: union(rows, other.rows), vectors: union(vectors, other.vectors))
    }

    /// The same area of a plane of twice the size, and what is beside it.
    func enlarged(height: Int, vectorCount: Int) -> CellArea {
        guard !isEmpty else { return self }
        return CellArea(
            rows: max(0, 2 * rows.lowerBound - 1)..<min(height, 2 * rows.upperBound + 1),
            vectors: max(0, 2 * vectors.lowerBound - 1)..<min(vectorCount, 2 * vectors.upperBound + 1))
    }
}
