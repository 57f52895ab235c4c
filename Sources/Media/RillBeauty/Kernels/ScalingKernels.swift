/// Doubles the resolution in both directions. Each sample is 3/4 of the one it lies in and 1/4 of the nearest other,
/// first down and then across, rounded up each time.
enum EnlargingKernel {
    /// Enlarges the part of a plane inside spans.
    ///
    /// - Parameters:
    ///   - source: the plane to enlarge. Its rows must be extended by one sample on both sides
    ///     (``CellPlane/extend(_:by:)``).
    ///   - spans: the spans outside of which the source, and so the result, is 0.
    ///   - target: the plane to write. It must have started with zeros, and have been the target of the previous
    ///     spans.
    static func run(_ source: borrowing CellPlane, spans: MaskSpans, to target: borrowing CellPlane) {
        for y in 0..<target.height {
            let (near, far) = places(y, of: source.height)
            let span = spans.touchedAround(near, far).clamped(to: 0..<source.vectorCount)
            fill((source.row(near), source.row(far)), span, target.row(y))
        }
    }

    /// Enlarges a whole plane.
    static func run(_ source: borrowing CellPlane, to target: borrowing CellPlane) {
        for y in 0..<target.height { fill(rows(of: source, y), 0..<source.vectorCount, target.row(y)) }
    }

    @inline(__always)
    private static func fill(_ rows: (Row, Row), _ span: Range<Int>, _ output: Row) {
        for vector in span {
            let x = 16 &* vector
            let (left, right) = bytes(rows, x)
            output[bytes: 2 &* x] = left
            // The target's last vector may end before this one; its padding has room for it.
            output[bytes: 2 &* x &+ 16] = right
        }
    }

    /// Returns the two source rows of row `y` of the result: the near one and the far one.
    @inline(__always)
    static func rows(of source: borrowing CellPlane, _ y: Int) -> (Row, Row) {
        let (near, far) = places(y, of: source.height)
        return (source.row(near), source.row(far))
    }

    /// Returns the indices of these two rows in a plane of that height.
    @inline(__always)
    static func places(_ y: Int, of height: Int) -> (Int, Int) {
        (y >> 1, max(0, min(height - 1, (y >> 1) + 2 * (y & 1) - 1)))
    }

    /// Enlarges sixteen samples to thirty-two.
    @inline(__always)
    static func bytes(_ rows: (Row, Row), _ x: Int) -> (Bytes, Bytes) {
        across(mixed(rows, x &- 1), mixed(rows, x), mixed(rows, x &+ 1))
    }

    /// Enlarges sixteen samples each of an upper and a lower row to thirty-two each, for both rows between them, with
    /// the same results as ``bytes(_:_:)``.
    @inline(__always)
    static func pairs(_ rows: (Row, Row), _ x: Int) -> (upper: (Bytes, Bytes), lower: (Bytes, Bytes)) {
        let (before, here, behind) = (
            mixed(between: rows, x &- 1), mixed(between: rows, x), mixed(between: rows, x &+ 1)
        )
        return (across(before.0, here.0, behind.0), across(before.1, here.1, behind.1))
    }

    /// Returns the row nearer to the upper one, and the row nearer to the lower one.
    @inline(__always)
    private static func mixed(between rows: (Row, Row), _ x: Int) -> (Bytes, Bytes) {
        let (upper, lower) = (rows.0[bytes: x], rows.1[bytes: x])
        let middle = upper.mean(lower)
        return (upper.mean(middle), lower.mean(middle))
    }

    @inline(__always)
    private static func across(_ before: Bytes, _ here: Bytes, _ behind: Bytes) -> (Bytes, Bytes) {
        here.mean(here.mean(before)).interleaved(with: here.mean(here.mean(behind)))
    }

    @inline(__always)
    private static func mixed(_ rows: (Row, Row), _ x: Int) -> Bytes {
        let near = rows.0[bytes: x]
        return near.mean(near.mean(rows.1[bytes: x]))
    }

    static func reference(_ source: borrowing CellPlane, _ x: Int, _ y: Int) -> UInt8 {
        let column = x >> 1
        let other = max(0, min(source.width - 1, column + 2 * (x & 1) - 1))
        let (near, far) = rows(of: source, y)
        func mixed(_ x: Int) -> UInt8 { near[x].mean(near[x].mean(far[x])) }
        return mixed(column).mean(mixed(column).mean(mixed(other)))
    }
}

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
