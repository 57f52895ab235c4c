/// One step of an edge-preserving diffusion. Each cell moves toward four others, at a distance to its left, right,
/// top and bottom, by 3/16 of the difference. Neighbors that differ by more than sensor noise and pores count less
/// and less, and finally not at all.
///
/// A neighbor with difference d contributes min(|d|, limit - |d|), after Tukey's robust estimator, which outliers do
/// not move (Black, Sapiro, Marimont and Heeger, Robust Anisotropic Diffusion, 1998). Steps at growing distances
/// reach far with few neighbors (the "à trous" scheme of wavelets): 1, 2 and 4 together cover a square of fifteen
/// cells. A gradient stays as it is, and a face's features do not bleed into the skin beside them, as they do with a
/// mean.
enum DiffusionKernel {
    /// The largest distance of a step, and so the samples that it reads beyond a row's ends.
    static let greatestDistance = 8

    /// Runs one step.
    ///
    /// - Parameters:
    ///   - source: the plane to diffuse. Its rows are extended on both sides.
    ///   - distance: the distance to the four neighbors, in cells.
    ///   - selection: a value per cell. Where sixteen cells in a row are all 0, they are copied at almost no cost.
    ///   - spans: the spans outside of which the selection is 0, if known.
    ///   - target: the plane to write, not `source`.
    static func run(
        _ source: borrowing CellPlane, distance: Int, where selection: borrowing CellPlane,
        spans: MaskSpans? = nil, to target: borrowing CellPlane
    ) {
        precondition((1...greatestDistance).contains(distance))
        for y in 0..<source.height { source.extend(y, by: distance) }
        for y in 0..<source.height {
            let rows = (source.nearestRow(y - distance), source.row(y), source.nearestRow(y + distance))
            let output = target.row(y)
            output.copy(rows.1, count: source.width)
            run(rows, distance, selection.row(y), output, spans?[y] ?? 0..<source.vectorCount)
        }
    }

    private static func run(
        _ rows: (Row, Row, Row), _ distance: Int, _ selection: Row, _ output: Row, _ span: Range<Int>
    ) {
        let end = 16 &* span.upperBound
        var x = 16 &* span.lowerBound
        while x < end {
            if !selection[bytes: x].isZero {
                let cell = rows.1[bytes: x]
                let limit = limit(cell)
                var up = Bytes.zero
                var down = Bytes.zero
                add(rows.0[bytes: x], cell, limit, &up, &down)
                add(rows.1[bytes: x &- distance], cell, limit, &up, &down)
                add(rows.1[bytes: x &+ distance], cell, limit, &up, &down)
                add(rows.2[bytes: x], cell, limit, &up, &down)
                // One of the two is 0, and the step is smaller than the other.
                let (rise, fall) = (up.less(down), down.less(up))
                let change = rise | fall
                let step = (change &+ change &+ change &+ 8) &>> 4
                output[bytes: x] = cell &+ step.smaller(rise) &- step.smaller(fall)
            }
            x &+= 16
        }
    }

    /// Returns the difference from which on a neighbor does not count: at most 25, so that three times four halves
    /// fit a byte.
    @inline(__always)
    private static func limit(_ cell: Bytes) -> Bytes {
        let light = cell.less(Bytes(repeating: 16))
        return Bytes(repeating: 4) &+ (light &>> 4) &+ (light &>> 5)
    }

    @inline(__always)
    private static func add(_ neighbour: Bytes, _ cell: Bytes, _ limit: Bytes, _ up: inout Bytes, _ down: inout Bytes) {
        let (above, below) = (neighbour.less(cell), cell.less(neighbour))
        let difference = above | below
        let share = difference.smaller(limit.less(difference))
        up &+= share.smaller(above)
        down &+= share.smaller(below)
    }

    static func reference(_ source: borrowing CellPlane, distance: Int, _ x: Int, _ y: Int) -> UInt8 {
        let cell = Int(source.row(y)[x])
        let light = max(0, cell - 16)
        let limit = 4 + light >> 4 + light >> 5
        func share(_ x: Int, _ y: Int) -> Int {
            let difference = Int(source.nearestRow(y)[max(0, min(source.width - 1, x))]) - cell
            return min(abs(difference), max(0, limit - abs(difference))) * difference.signum()
        }
        let sum = share(x, y - distance) + share(x - distance, y) + share(x + distance, y) + share(x, y + distance)
        let step = min((3 * abs(sum) + 8) >> 4, abs(sum))
        return UInt8(cell + step * sum.signum())
    }
}
