/// The distance of each cell's luma from its surroundings: texture and edges.
///
/// It is not the variance, which grows with any gradient (faces have many) and needs squares. The distance from the
/// mean of a symmetric neighborhood is 0 on a gradient, and fits a byte.
enum DeviationKernel {
    /// The maximum, to which larger values are clamped: nine of them fit a byte.
    static let greatest: UInt8 = 28

    /// Computes the deviation of each cell.
    ///
    /// - Parameters:
    ///   - luma: the luma of each cell.
    ///   - surroundings: the luma of each block, or a blurred one, with rows extended by one sample on both sides.
    ///     Enlarged, it is compared with each cell.
    ///   - selection: a value per block. Where thirty-two cells are in and beside blocks of 0 only, the deviation is
    ///     0.
    ///   - deviation: the plane to write.
    static func run(
        luma: borrowing CellPlane, surroundings: borrowing CellPlane, where selection: borrowing CellPlane,
        to deviation: borrowing CellPlane
    ) {
        for y in 0..<luma.height {
            let selected = EnlargingKernel.rows(of: selection, y)
            let blocks = EnlargingKernel.rows(of: surroundings, y)
            let (cells, output) = (luma.row(y), deviation.row(y))
            for vector in 0..<surroundings.vectorCount {
                let x = 16 &* vector
                let first = 2 &* x
                if (selected.0[bytes: x] | selected.1[bytes: x]).isZero {
                    output[bytes: first] = .zero
                    output[bytes: first &+ 16] = .zero
                } else {
                    let (left, right) = EnlargingKernel.bytes(blocks, x)
                    output[bytes: first] = distance(cells[bytes: first], left)
                    output[bytes: first &+ 16] = distance(cells[bytes: first &+ 16], right)
                }
            }
        }
    }

    @inline(__always)
    private static func distance(_ luma: Bytes, _ surroundings: Bytes) -> Bytes {
        // Enlarging rounds up, by 3/4 on average.
        luma.distance(to: surroundings.less(Bytes(repeating: 1))).smaller(Bytes(repeating: greatest))
    }

    static func reference(luma: UInt8, surroundings: UInt8) -> UInt8 {
        let surroundings = surroundings.less(1)
        return min(greatest, luma > surroundings ? luma - surroundings : surroundings - luma)
    }

    /// Computes the deviation in eighths, and 0 where no pixel has the color of skin: pixels beside a face do not
    /// describe its texture.
    static func eighths(
        of deviation: borrowing CellPlane, where likelihood: borrowing CellPlane, to target: borrowing CellPlane
    ) {
        for y in 0..<deviation.height {
            let (deviation, likelihood, output) = (deviation.row(y), likelihood.row(y), target.row(y))
            for vector in 0..<target.vectorCount {
                let x = 16 &* vector
                // At most 28, so eight times the value fits a byte.
                output[bytes: x] = (deviation[bytes: x] &<< 3) & ~likelihood[bytes: x].isZeroMask
            }
        }
    }

    static func eighths(of deviation: UInt8, likelihood: UInt8) -> UInt8 { likelihood == 0 ? 0 : deviation << 3 }
}
