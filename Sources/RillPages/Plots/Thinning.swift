/// Removes points that would not be visible. Of each pixel column a drawing shows only the first, the smallest, the
/// largest and the last value of a line.
enum Thinning {
    /// The number of columns of a plot: its pixels on a wide screen.
    static let columnCount = 1000

    /// Returns at most four points per column. Shorter lists are not changed. Values that are not finite interrupt
    /// the line, and are kept.
    static func thinned(_ points: [Mark.Point], along axis: Axis) -> [Mark.Point] {
        guard points.count > 2 * columnCount else { return points }
        var thinned: [Mark.Point] = []
        var rest = points[...]
        while let first = rest.first {
            let column = column(first.x, axis)
            let isFinite = first.y.isFinite
            let group = rest.prefix { self.column($0.x, axis) == column && $0.y.isFinite == isFinite }
            rest = rest[group.endIndex...]
            guard isFinite, group.count > 2 else {
                thinned += group.count > 2 ? group.prefix(1) : group
                continue
            }
            // Indices, so that the two stay in order.
            let low = group.indices.min { group[$0].y < group[$1].y } ?? group.startIndex
            let high = group.indices.max { group[$0].y < group[$1].y } ?? group.startIndex
            var kept = [group.startIndex, min(low, high), max(low, high), group.endIndex - 1]
            kept = kept.indices.filter { $0 == 0 || kept[$0] > kept[$0 - 1] }.map { kept[$0] }
            thinned += kept.map { group[$0] }
        }
        return thinned
    }

    /// Returns at most one range per column: from the smallest low edge to the largest high edge.
    static func thinned(_ ranges: [Mark.Range], along axis: Axis) -> [Mark.Range] {
        guard ranges.count > columnCount else { return ranges }
        var thinned: [Mark.Range] = []
        var lastColumn: Int?
        for range in ranges {
            let isFinite = range.low.isFinite && range.high.isFinite
            let column = column(range.x, axis)
            let wasFinite = thinned.last.map { $0.low.isFinite && $0.high.isFinite }
            if column == lastColumn, isFinite == wasFinite, let last = thinned.popLast() {
                thinned.append(Mark.Range(last.x, min(last.low, range.low), max(last.high, range.high)))
            } else {
                thinned.append(range)
            }
            lastColumn = column
        }
        return thinned
    }

    /// Returns at most one point per two by two pixels of a drawing of that height.
    static func thinned(_ points: [Mark.Point], along x: Axis, and y: Axis, height: Int) -> [Mark.Point] {
        guard points.count > columnCount else { return points }
        var seen: Set<Int> = []
        return points.filter { point in
            let row = Int((y.place(point.y) * Double(height) / 2).rounded(.down))
            return seen.insert((column(point.x, x) / 2) << 32 | row & 0xFFFF_FFFF).inserted
        }
    }

    private static func column(_ x: Double, _ axis: Axis) -> Int {
        Int((min(max(axis.place(x), 0), 1) * Double(columnCount)).rounded(.down))
    }
}
