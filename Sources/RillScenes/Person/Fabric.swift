/// A knitted fabric: columns of small slanted stitches.
struct Fabric {
    let color: RGB
    private let wool: ValueNoise

    init(color: RGB, seed: UInt64) {
        self.color = color
        wool = ValueNoise(seed: seed, 8)
    }

    /// Returns the fabric's color at a position on its surface (person sizes), before lighting.
    func callAsFunction(_ p: Point, pixel: Float) -> RGB {
        // A stitch is half a V: two columns lean toward each other.
        let column = p.x / 0.0105
        let across = column - column.rounded(.down)
        let slanted = p.y / 0.0085 + 1.3 * abs(across - 0.5)
        let along = slanted - slanted.rounded(.down) - 0.5
        let stitch = bell(along * along * 4) - 0.53
        let gap = bell((across - 0.5) * (across - 0.5) * 60) * 0.7 + bell(min(across, 1 - across) * 4)
        let knit = (0.30 * stitch - 0.22 * gap + 0.08) * visibility(period: 0.0095, pixel)
        let fluff = 0.08 * wool(p * 420) * visibility(period: 0.006, pixel) + 0.07 * wool.layered(p * 30, octaves: 3)
        return color * (1 + knit + fluff)
    }

    /// Returns the ribs of a collar or a cuff; `across` is the position along the seam.
    func ribbed(_ across: Float, pixel: Float) -> RGB {
        let rib = across / 0.0125
        let fraction = rib - rib.rounded(.down) - 0.5
        let ridge = bell(fraction * fraction * 4) - 0.5
        return color * (0.95 + 0.42 * ridge * visibility(period: 0.0125, pixel))
    }
}
