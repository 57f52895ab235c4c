/// Raises samples to those of another plane, but not above a limit.
enum RaisingKernel {
    static func run(_ plane: borrowing CellPlane, to greater: borrowing CellPlane, atMost limit: Int) {
        let limit = Bytes(repeating: UInt8(min(255, limit)))
        let vectorCount = plane.vectorCount
        for y in 0..<plane.height {
            let (row, greater) = (plane.row(y), greater.row(y))
            for vector in 0..<vectorCount {
                let x = 16 &* vector
                row[bytes: x] = row[bytes: x].greater(greater[bytes: x].smaller(limit))
            }
        }
    }

    static func reference(_ sample: UInt8, to greater: UInt8, atMost limit: Int) -> UInt8 {
        max(sample, min(greater, UInt8(min(255, limit))))
    }
}
