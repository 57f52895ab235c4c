/// How far each cell's luma is from what surrounds it: texture and edges.
///
/// Not the variance: that grows with any slope of light, of which faces have many, and needs squares. The distance to the
/// mean of a symmetrical neighbourhood is 0 on a slope, and fits a byte.
enum DeviationKernel {
    /// More counts as this much: nine of them still fit a byte.
    static let greatest: UInt8 = 28

    /// - Parameters:
    ///   - luma: of each cell.
    ///   - surroundings: luma of each block, or a blurred one, with rows continued by a sample on both sides: enlarged, it is
    ///     what a cell is compared with.
    ///   - selection: of each block; where thirty-two cells lie in and beside blocks of 0 alone, the deviation is 0.
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
        // Enlarging rounds upwards, by 3/4 on average.
        luma.distance(to: surroundings.less(Bytes(repeating: 1))).smaller(Bytes(repeating: greatest))
    }

    static func reference(luma: UInt8, surroundings: UInt8) -> UInt8 {
        let surroundings = surroundings.less(1)
        return min(greatest, luma > surroundings ? luma - surroundings : surroundings - luma)
    }

    /// The deviation in eighths, none where nothing has the colour of skin: what lies beside a face says nothing of its
    /// texture.
    static func eighths(
        of deviation: borrowing CellPlane, where likelihood: borrowing CellPlane, to target: borrowing CellPlane
    ) {
        for y in 0..<deviation.height {
            let (deviation, likelihood, output) = (deviation.row(y), likelihood.row(y), target.row(y))
            for vector in 0..<target.vectorCount {
                let x = 16 &* vector
                // At most 28, so that eight times as much fits a byte.
                output[bytes: x] = (deviation[bytes: x] &<< 3) & ~likelihood[bytes: x].isNothing
            }
        }
    }

    static func eighths(of deviation: UInt8, likelihood: UInt8) -> UInt8 { likelihood == 0 ? 0 : deviation << 3 }
}
