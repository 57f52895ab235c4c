/// Limits samples to those of another plane.
enum LimitKernel {
    static func run(_ plane: borrowing CellPlane, by limits: borrowing CellPlane) { run(plane, by: limits, to: plane) }

    static func run(_ plane: borrowing CellPlane, by limits: borrowing CellPlane, to target: borrowing CellPlane) {
        let vectorCount = plane.vectorCount
        for y in 0..<plane.height {
            let (row, limits, output) = (plane.row(y), limits.row(y), target.row(y))
            for vector in 0..<vectorCount {
                let x = 16 &* vector
                output[bytes: x] = row[bytes: x].smaller(limits[bytes: x])
            }
        }
    }

    static func reference(_ sample: UInt8, limit: UInt8) -> UInt8 { min(sample, limit) }
}
