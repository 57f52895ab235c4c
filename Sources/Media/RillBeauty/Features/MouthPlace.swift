/// Finds the mouth in a face's lower half: where cells look most like lips in an area as large as a mouth.
///
/// A cascade's squares are a few hundredths of their side off, and a face that moves leaves its square for a while. Of
/// large faces only some rows and columns are looked at, so that the cost does not grow with the face.
enum MouthPlace {
    /// Rows and columns of a face that are looked at, about.
    private static let resolution = 24

    /// Returns the center, in cells; `nil` if too little of the face is in the picture.
    ///
    /// - Parameters:
    ///   - scores: how much each cell looks like lips.
    ///   - face: the face, in cells.
    ///   - sums: room for as many sums as the plane has columns.
    static func find(_ scores: borrowing CellPlane, in face: FaceRegion, _ sums: inout [Int32]) -> (x: Int, y: Int)? {
        let (side, step) = (face.side, max(1, face.side / resolution))
        let columns = (face.x + side * 20 / 100..<face.x + side * 80 / 100 + 1).clamped(to: 0..<scores.width)
        let rows = (face.y + side * 66 / 100..<face.y + side * 108 / 100 + 1).clamped(to: 0..<scores.height)
        // From here on in steps. Half a mouth:
        let (halfX, halfY) = (max(1, side * 16 / 100 / step), max(1, side * 6 / 100 / step))
        let (width, height) = (columns.count / step, rows.count / step)
        guard width > 2 * halfX, height > 2 * halfY, sums.count >= width else { return nil }
        func add(_ index: Int, _ sign: Int32) {
            let row = scores.row(rows.lowerBound + index * step)
            for x in 0..<width { sums[x] += sign * Int32(row[columns.lowerBound + x * step]) }
        }
        // The sum of each column over the rows of a mouth, which moves down.
        for x in 0..<width { sums[x] = 0 }
        for y in 0..<2 * halfY { add(y, 1) }
        var (best, place) = (Int.min, (x: 0, y: 0))
        let area = (2 * halfX + 1) * (2 * halfY + 1)
        for y in halfY..<height - halfY {
            add(y + halfY, 1)
            var sum = 0
            for x in 0..<2 * halfX { sum += Int(sums[x]) }
            for x in halfX..<width - halfX {
                sum += Int(sums[x + halfX])
                let center = (x: columns.lowerBound + x * step, y: rows.lowerBound + y * step)
                let (dx, dy) = (center.x - face.x - side / 2, center.y - face.y - side * 85 / 100)
                // A tenth of the side off costs as much as a twelfth of full scores.
                let value = sum / area - 2040 * (dx * dx + dy * dy) / (side * side)
                if value > best { (best, place) = (value, center) }
                sum -= Int(sums[x - halfX])
            }
            add(y - halfY, -1)
        }
        return place
    }
}
