import RillCore

/// A random landscape: a value from -1 to 1 at each point of the plane, smooth over a distance of 1.
///
/// The same seed yields the same landscape. The values at integer coordinates are hashes of these, so it is unbounded
/// and takes no memory.
struct ValueNoise {
    private let seed: UInt32

    /// Creates a landscape.
    ///
    /// - Parameters:
    ///   - seed: determines the values.
    ///   - salt: distinguishes the landscapes of one seed.
    init(seed: UInt64, _ salt: UInt32) {
        self.seed = UInt32(truncatingIfNeeded: seed ^ seed >> 32) &+ salt &* 0x9E37_79B9
    }

    /// Returns the landscape's height at `p`.
    func callAsFunction(_ p: Point) -> Float {
        let column = floorToInt(p.x)
        let row = floorToInt(p.y)
        let tx = p.x - Float(Int(column))
        let ty = p.y - Float(Int(row))
        let sx = tx * tx * (3 - 2 * tx)
        let sy = ty * ty * (3 - 2 * ty)
        let top = mix(self[column, row], self[column &+ 1, row], sx)
        let bottom = mix(self[column, row &+ 1], self[column &+ 1, row &+ 1], sx)
        return mix(top, bottom, sy)
    }

    /// Returns a sum of `octaves` landscapes, each twice as fine and half as high as the previous one; from -1 to 1.
    func layered(_ p: Point, octaves: Int) -> Float {
        var sum: Float = 0
        var height: Float = 1
        var total: Float = 0
        var q = p
        for _ in 0..<octaves {
            sum += height * self(q)
            total += height
            height *= 0.5
            // Off the previous octave's grid, so that their lines do not coincide.
            q = Point(1.6 * q.x + 1.2 * q.y + 17.3, 1.6 * q.y - 1.2 * q.x + 5.9)
        }
        return sum / total
    }

    /// The value at an integer coordinate.
    subscript(column: Int32, row: Int32) -> Float {
        var h = UInt32(bitPattern: column) &* 0x85EB_CA6B ^ UInt32(bitPattern: row) &* 0xC2B2_AE35 ^ seed
        h = (h ^ h >> 15) &* 0x2C1B_3C6D
        h = (h ^ h >> 12) &* 0x297A_2D39
        h ^= h >> 15
        return Float(Int(h >> 8)) * 0x1p-23 - 1
    }

    private func floorToInt(_ x: Float) -> Int32 {
        let cut = Int(x)
        return Int32(truncatingIfNeeded: Float(cut) > x ? cut - 1 : cut)
    }
}
