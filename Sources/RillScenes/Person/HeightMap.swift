/// Heights on a grid, and the lighting properties derived from them.
struct HeightMap {
    private let grid: Grid
    private var heights: [Float]

    init(_ grid: Grid, _ height: (Point) -> Float) {
        self.grid = grid
        heights = []
        heights.reserveCapacity(grid.columns * grid.rows)
        for row in 0..<grid.rows {
            for column in 0..<grid.columns { heights.append(height(grid.centre(column: column, row: row))) }
        }
    }

    /// Returns the unit normal of the surface: x and y as in the picture, z toward the viewer.
    func normal(column: Int, row: Int) -> SIMD3<Float> {
        let left = self[column - 1, row]
        let right = self[column + 1, row]
        let above = self[column, row - 1]
        let below = self[column, row + 1]
        let n = SIMD3((left - right) / (2 * grid.step), (above - below) / (2 * grid.step), 1)
        return n / dot(n, n).squareRoot()
    }

    /// Returns how far each point is below the mean of its surroundings; 0 where it is above.
    func hollows(radius: Float) -> [Float] {
        var mean = self
        let reach = max(1, Int(radius / grid.step))
        for _ in 0..<2 { mean.average(reach: reach) }
        return zip(mean.heights, heights).map { max(0, $0 - $1) }
    }

    /// Smooths the finest steps of the grid.
    mutating func soften() { average(reach: 1) }

    /// Returns how much of a light is blocked at a point by rising ground: 0 to 1.
    func shadow(column: Int, row: Int, towards light: SIMD3<Float>) -> Float {
        let start = self[column, row]
        let along = Point(light.x, light.y)
        let flat = along.length
        var deepest: Float = 0
        var way: Float = 0.02
        while way < 0.22 {
            let x = Float(column) + light.x / flat * way / grid.step
            let y = Float(row) + light.y / flat * way / grid.step
            let ray = start + light.z / flat * way
            // The farther the obstacle, the softer its shadow's edge.
            deepest = max(deepest, (self[Int(x), Int(y)] - ray + 0.004) / (0.018 + 0.22 * way))
            way += 0.012
        }
        return min(1, deepest)
    }

    private subscript(column: Int, row: Int) -> Float {
        heights[min(max(row, 0), grid.rows - 1) * grid.columns + min(max(column, 0), grid.columns - 1)]
    }

    /// Replaces each height by the mean of those up to `reach` away, along rows, then along columns.
    private mutating func average(reach: Int) {
        let source = self
        var half = self
        let weight = 1 / Float(2 * reach + 1)
        for row in 0..<grid.rows {
            var sum: Float = 0
            for column in -reach...reach { sum += source[column, row] }
            for column in 0..<grid.columns {
                half.heights[row * grid.columns + column] = sum * weight
                sum += source[column + reach + 1, row] - source[column - reach, row]
            }
        }
        for column in 0..<grid.columns {
            var sum: Float = 0
            for row in -reach...reach { sum += half[column, row] }
            for row in 0..<grid.rows {
                heights[row * grid.columns + column] = sum * weight
                sum += half[column, row + reach + 1] - half[column, row - reach]
            }
        }
    }
}
