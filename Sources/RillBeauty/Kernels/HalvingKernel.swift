/// The mean luma of each cell, rounded to the nearest, a half upwards. Where a side is odd, the last row or column counts
/// twice.
enum HalvingKernel {
    static func run(_ luma: PictureRows, to cells: borrowing CellPlane) {
        for y in 0..<cells.height {
            let (upper, lower) = (luma.row(2 * y), luma.nearestRow(2 * y + 1))
            let output = cells.row(y)
            var x = 0
            while 2 * x + 32 <= luma.width {
                output[bytes: x] = Bytes(words(upper, lower, 2 * x), words(upper, lower, 2 * x + 16))
                x += 16
            }
            while x < cells.width {
                output[x] = reference(luma, x, y)
                x += 1
            }
        }
    }

    /// The means of eight cells.
    @inline(__always)
    private static func words(_ upper: Row, _ lower: Row, _ x: Int) -> Words {
        // Pairs of samples as words: the even one below, the odd one above.
        let (a, b) = unsafe (
            unsafeBitCast(upper[bytes: x], to: Words.self), unsafeBitCast(lower[bytes: x], to: Words.self)
        )
        let even = (a & 255) &+ (b & 255)
        return (even &+ (a &>> 8) &+ (b &>> 8) &+ 2) &>> 2
    }

    static func reference(_ luma: PictureRows, _ x: Int, _ y: Int) -> UInt8 {
        let (upper, lower) = (luma.row(2 * y), luma.nearestRow(2 * y + 1))
        let right = min(luma.width - 1, 2 * x + 1)
        return UInt8((Int(upper[2 * x]) + Int(upper[right]) + Int(lower[2 * x]) + Int(lower[right]) + 2) >> 2)
    }
}
