/// Twice as many samples each way: each three parts of the one it lies in and one part of the nearest other, down and then
/// across, rounded upwards each time.
enum EnlargingKernel {
    /// - Parameters:
    ///   - source: its rows are continued by a sample on both sides (``CellPlane/extend(_:by:)``).
    ///   - spans: outside of which it is 0, and the result too.
    ///   - target: began with zeros, and was the target of the spans before.
    static func run(_ source: borrowing CellPlane, spans: MaskSpans, to target: borrowing CellPlane) {
        for y in 0..<target.height {
            let (near, far) = places(y, of: source.height)
            let span = spans.touchedAround(near, far).clamped(to: 0..<source.vectorCount)
            fill((source.row(near), source.row(far)), span, target.row(y))
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
        across(mixed(rows, x &- 1), mixed(rows, x), mixed(rows, x &+ 1))
    }

    /// Sixteen samples each of an upper and a lower row as thirty-two, of both rows that lie between them: alike to ``bytes``.
    @inline(__always)
    static func pairs(_ rows: (Row, Row), _ x: Int) -> (upper: (Bytes, Bytes), lower: (Bytes, Bytes)) {
        let (before, here, behind) = (
            mixed(between: rows, x &- 1), mixed(between: rows, x), mixed(between: rows, x &+ 1)
        )
        return (across(before.0, here.0, behind.0), across(before.1, here.1, behind.1))
    }

    /// The row nearer to the upper one, and the row nearer to the lower one.
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
