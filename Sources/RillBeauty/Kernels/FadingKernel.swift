/// Fades from one plane to another: `256 - strength` 256ths of the first, plus the second, which has been weighted.
enum FadingKernel {
    static func run(_ plane: borrowing CellPlane, strength: Int, adding other: borrowing CellPlane) {
        let share = Words(repeating: UInt16(256 - strength))
        let vectorCount = plane.vectorCount
        for y in 0..<plane.height {
            let (row, other) = (plane.row(y), other.row(y))
            for vector in 0..<vectorCount {
                let x = 16 &* vector
                let old = row[bytes: x]
                let faded = Bytes(even: (old.evenWords &* share) &>> 8, odd: (old.oddWords &* share) &>> 8)
                row[bytes: x] = faded.plus(other[bytes: x])
            }
        }
    }

    static func reference(_ sample: UInt8, strength: Int, adding other: UInt8) -> UInt8 {
        UInt8((Int(sample) * (256 - strength)) >> 8).plus(other)
    }
}
