/// Combines each sample with its neighbor in one direction of columns and of rows, and with the one diagonally between:
/// two by two samples. Outside of a plane its nearest samples count.
///
/// The minimum toward the right and below, and then the maximum toward the left and above, removes what is narrower
/// than two samples and leaves the rest.
enum PairKernel {
    /// Which neighbors count.
    enum Direction: Int {
        case leftAndAbove = -1
        case rightAndBelow = 1
    }

    /// Runs the kernel.
    ///
    /// - Parameters:
    ///   - source: the plane to read.
    ///   - direction: where the neighbors are.
    ///   - row: a row at least as wide as `source`, for intermediate results.
    ///   - target: the plane to write, not `source`.
    @inline(__always)
    static func run<Operation: Tap>(
        _: Operation.Type, _ source: borrowing CellPlane, _ direction: Direction, row: borrowing CellPlane,
        to target: borrowing CellPlane
    ) {
        let columns = row.row(0)
        for y in 0..<source.height {
            let (here, beside) = (source.row(y), source.nearestRow(y + direction.rawValue))
            for vector in 0..<source.vectorCount {
                let x = 16 &* vector
                columns[bytes: x] = Operation.combine(here[bytes: x], here[bytes: x], beside[bytes: x])
            }
            columns.extend(width: source.width, by: 1)
            let output = target.row(y)
            for vector in 0..<source.vectorCount {
                let x = 16 &* vector
                let sample = columns[bytes: x]
                output[bytes: x] = Operation.combine(sample, sample, columns[bytes: x &+ direction.rawValue])
            }
        }
    }

    static func reference<Operation: Tap>(
        _: Operation.Type, _ source: borrowing CellPlane, _ direction: Direction, _ x: Int, _ y: Int
    ) -> UInt8 {
        func column(_ x: Int) -> UInt8 {
            let x = max(0, min(source.width - 1, x))
            let sample = source.row(y)[x]
            return Operation.combine(sample, sample, source.nearestRow(y + direction.rawValue)[x])
        }
        return Operation.combine(column(x), column(x), column(x + direction.rawValue))
    }
}
