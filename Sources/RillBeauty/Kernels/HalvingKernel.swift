/// Halves the resolution: pixels to cells, and cells to blocks. Each result is the mean of two by two samples, first
/// down, rounded up, then across, rounded down (except beside a 0), so that means are not brighter than their
/// samples. If a side is odd, the last row or column counts twice.
enum HalvingKernel {
    static func run(_ source: PictureRows, to cells: borrowing CellPlane) {
        for y in 0..<cells.height {
            let (upper, lower) = (source.row(2 * y), source.nearestRow(2 * y + 1))
            let output = cells.row(y)
            var x = 0
            while 2 &* x &+ 32 <= source.width {
                output[bytes: x] = Bytes(
                    means(upper[bytes: 2 &* x].mean(lower[bytes: 2 &* x])),
                    means(upper[bytes: 2 &* x &+ 16].mean(lower[bytes: 2 &* x &+ 16])))
                x &+= 16
            }
            while x < cells.width {
                output[x] = reference(source, x, y)
                x += 1
            }
        }
    }

    /// Returns the mean of each pair, rounded down: the mean of the even sample and the odd sample minus 1, rounded
    /// up.
    @inline(__always)
    private static func means(_ samples: Bytes) -> Words {
        // Moves the odd lanes to the even positions; the lanes in between are not used.
        let odd = unsafe unsafeBitCast(samples.oddWords, to: Bytes.self)
        return samples.mean(odd.less(Bytes(repeating: 1))).evenWords
    }

    static func reference(_ source: PictureRows, _ x: Int, _ y: Int) -> UInt8 {
        let (upper, lower) = (source.row(2 * y), source.nearestRow(2 * y + 1))
        let right = min(source.width - 1, 2 * x + 1)
        return upper[2 * x].mean(lower[2 * x]).mean(upper[right].mean(lower[right]).less(1))
    }
}
