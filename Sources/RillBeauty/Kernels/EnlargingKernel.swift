/// Twice as many samples each way: each three parts of the one it lies in and one part of the nearest other, down and then
/// across, rounded upwards each time.
enum EnlargingKernel {
    /// - Parameters:
    ///   - source: its rows are continued by a sample on both sides (``CellPlane/extend(_:by:)``).
    ///   - spans: outside of which it is 0, and the result too.
    static func run(_ source: borrowing CellPlane, spans: MaskSpans, to target: borrowing CellPlane) {
        let width = 16 * target.vectorCount
        for y in 0..<target.height {
            let (near, far) = places(y, of: source.height)
            let span = spans.around(near, far).clamped(to: 0..<source.vectorCount)
            let output = target.row(y)
            if span.count < source.vectorCount { output.clear(count: width) }
            fill((source.row(near), source.row(far)), span, output)
        }
    }

    /// All of it.
    static func run(_ source: borrowing CellPlane, to target: borrowing CellPlane) {
        for y in 0..<target.height { fill(rows(of: source, y), 0..<source.vectorCount, target.row(y)) }
    }

    @inline(__always)
    private static func fill(_ rows: (Row, Row), _ span: Range<Int>, _ output: Row) {
        for vector in span {
            let x = 16 &* vector
            let (left, right) = bytes(rows, x)
            output[bytes: 2 &* x] = left
            // The target's last vector may have ended there; its padding takes a vector more.
            output[bytes: 2 &* x &+ 16] = right
        }
    }

    /// The rows that row `y` of twice as many is made of: the near one and the far one.
    @inline(__always)
    static func rows(of source: borrowing CellPlane, _ y: Int) -> (Row, Row) {
        let (near, far) = places(y, of: source.height)
        return (source.row(near), source.row(far))
    }

    /// Which rows those are, of a plane of that height.
    @inline(__always)
    static func places(_ y: Int, of height: Int) -> (Int, Int) {
        (y >> 1, max(0, min(height - 1, (y >> 1) + 2 * (y & 1) - 1)))
    }

    /// Sixteen samples as thirty-two.
    @inline(__always)
    static func bytes(_ rows: (Row, Row), _ x: Int) -> (Bytes, Bytes) {
        let middle = mixed(rows, x)
        let left = middle.mean(middle.mean(mixed(rows, x &- 1)))
        let right = middle.mean(middle.mean(mixed(rows, x &+ 1)))
        return left.interleaved(with: right)
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
