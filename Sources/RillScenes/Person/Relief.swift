/// A landscape seen from above, with the light that falls on it.
///
/// The heights determine the slopes, how much of the room's light each slope gets, and what is in shadow or in a
/// hollow. All this is smooth, so it is computed once on a coarse grid. Fine detail is painted on top.
struct Relief {
    private let grid: Grid
    /// The light at each point: three primaries, and the gloss.
    private var light: [SIMD4<Float>]

    /// Computes the lighting of a landscape.
    ///
    /// - Parameters:
    ///   - box: the landscape's extent.
    ///   - step: the grid's step.
    ///   - hollow: the radius within which higher surroundings make a point a hollow.
    ///   - height: the landscape, in units of the plane.
    init(_ box: Box, step: Float, hollow: Float, _ height: (Point) -> Float) {
        let grid = Grid(covering: box, step: step)
        self.grid = grid
        var heights = HeightMap(grid, height)
        let hollows = heights.hollows(radius: hollow)
        heights.soften()
        light = []
        light.reserveCapacity(grid.columns * grid.rows)
        for row in 0..<grid.rows {
            for column in 0..<grid.columns {
                let normal = heights.normal(column: column, row: row)
                let shadow = heights.shadow(column: column, row: row, towards: KeyLight.direction)
                let depth = hollows[row * grid.columns + column]
                light.append(KeyLight.shading(normal: normal, shadow: shadow, hollow: depth))
            }
        }
    }

    /// Returns the light at `p`: three primaries, and the gloss.
    func callAsFunction(_ p: Point) -> SIMD4<Float> {
        let q = (p - grid.origin) / grid.step - 0.5
        let x = bounded(q.x, 0, Float(grid.columns) - 1.001)
        let y = bounded(q.y, 0, Float(grid.rows) - 1.001)
        let column = min(Int(x), grid.columns - 2)
        let row = min(Int(y), grid.rows - 2)
        let index = row * grid.columns + column
        let tx = x - Float(column)
        let top = light[index] + (light[index + 1] - light[index]) * tx
        let below = index + grid.columns
        let bottom = light[below] + (light[below + 1] - light[below]) * tx
        return top + (bottom - top) * (y - Float(row))
    }
}

extension RGB {
    /// Creates the color of a light, without its gloss.
    init(_ light: SIMD4<Float>) { self.init(light.x, light.y, light.z) }
}
