/// Least squares with a few unknowns, none of which may be negative.
///
/// Each set of unknowns that are allowed to differ from zero is solved by the normal equations, and the best that came out
/// without negative ones is taken: with four unknowns there are fifteen sets.
enum NonNegativeFit {
    /// The unknowns for which the rows come closest to `values`, and the sum of the squares that are left.
    static func solve(_ rows: [[Double]], _ values: [Double]) -> (unknowns: [Double], error: Double)? {
        guard let count = rows.first?.count, rows.count == values.count else { return nil }
        var best: (unknowns: [Double], error: Double)?
        for set in 1..<(1 << count) {
            let chosen = (0..<count).filter { set >> $0 & 1 == 1 }
            guard chosen.count <= rows.count,
                let solved = leastSquares(rows.map { row in chosen.map { row[$0] } }, values),
                solved.allSatisfy({ $0 >= 0 })
            else { continue }
            var unknowns = [Double](repeating: 0, count: count)
            for (place, value) in zip(chosen, solved) { unknowns[place] = value }
            let error = zip(rows, values).reduce(0) { sum, pair in
                let miss = zip(pair.0, unknowns).reduce(-pair.1) { $0 + $1.0 * $1.1 }
                return sum + miss * miss
            }
            if error < best?.error ?? .infinity { best = (unknowns, error) }
        }
        return best
    }

    private static func leastSquares(_ rows: [[Double]], _ values: [Double]) -> [Double]? {
        let count = rows[0].count
        // Quantities of very different size: columns are brought to the same one first.
        let sizes = (0..<count).map { column in rows.reduce(0) { max($0, $1[column].magnitude) } }
        guard sizes.allSatisfy({ $0 > 0 }) else { return nil }
        let scaled = rows.map { row in zip(row, sizes).map { $0 / $1 } }
        var equations = (0..<count).map { i in
            (0..<count).map { j in scaled.reduce(0) { $0 + $1[i] * $1[j] } }
                + [zip(scaled, values).reduce(0) { $0 + $1.0[i] * $1.1 }]
        }
        guard let solution = eliminate(&equations) else { return nil }
        return zip(solution, sizes).map { $0 / $1 }
    }

    /// Gauss and Jordan, by the largest element of each column; `nil` where the columns depend on each other.
    private static func eliminate(_ equations: inout [[Double]]) -> [Double]? {
        let count = equations.count
        for column in 0..<count {
            let pivots = column..<count
            guard let pivot = pivots.max(by: { equations[$0][column].magnitude < equations[$1][column].magnitude }),
                equations[pivot][column].magnitude > 1e-9
            else { return nil }
            equations.swapAt(pivot, column)
            for row in 0..<count where row != column {
                let factor = equations[row][column] / equations[column][column]
                for place in column...count { equations[row][place] -= factor * equations[column][place] }
            }
        }
        return (0..<count).map { equations[$0][count] / equations[$0][$0] }
    }
}
