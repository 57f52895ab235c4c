/// Limits samples to those of another plane.
enum LimitKernel {
    static func run(_ plane: borrowing CellPlane, by limits: borrowing CellPlane) {
        let vectorCount = plane.vectorCount
        for y in 0..<plane.height {
            let (row, limits) = (plane.row(y), limits.row(y))
            for vector in 0..<vectorCount {
                let x = 16 &* vector
                row[bytes: x] = row[bytes: x].smaller(limits[bytes: x])
            }
        }
    }

    static func reference(_ sample: UInt8, limit: UInt8) -> UInt8 { min(sample, limit) }
}
