/// Limits samples to those of another plane.
enum LimitKernel {
    static func run(_ plane: borrowing CellPlane, by limits: borrowing CellPlane) { run(plane, by: limits, to: plane) }

    static func run(_ plane: borrowing CellPlane, by limits: borrowing CellPlane, to target: borrowing CellPlane) {
        run(plane, limits, to: target) { $0.smaller($1) }
    }

    /// From below.
    static func run(_ plane: borrowing CellPlane, atLeast limits: borrowing CellPlane) {
        run(plane, limits, to: plane) { $0.greater($1) }
    }

    @inline(__always)
    private static func run(
        _ plane: borrowing CellPlane, _ limits: borrowing CellPlane, to target: borrowing CellPlane,
        _ limited: (Bytes, Bytes) -> Bytes
    ) {
        let vectorCount = plane.vectorCount
        for y in 0..<plane.height {
            let (row, limits, output) = (plane.row(y), limits.row(y), target.row(y))
            for vector in 0..<vectorCount {
                let x = 16 &* vector
                output[bytes: x] = limited(row[bytes: x], limits[bytes: x])
            }
        }
    }

    static func reference(_ sample: UInt8, limit: UInt8) -> UInt8 { min(sample, limit) }
    static func reference(_ sample: UInt8, atLeast limit: UInt8) -> UInt8 { max(sample, limit) }
}
