/// Computes how close the color of each cell is to that of skin, from 0 to 255: the minimum of five ramps.
///
/// Let a = Cr - 128 and b = 128 - Cb, both averaged over some cells, in BT.601 limited range. (The code uses 129 for
/// gray, because the averages are rounded up.) All skin lies in one wedge of the chroma plane, red and yellow in
/// about equal parts. Pale skin is close to gray, and so is very dark skin. The ten swatches of the Monk scale as (a,
/// b): (5, 5), (6, 7), (8, 13), (9, 16), (14, 21), (18, 23), (19, 17), (15, 10), (5, 4), (3, 3). Webcams show skin
/// between (10, 10) and (32, 15).
enum LikelihoodKernel {
    static func run(
        u: borrowing CellPlane, v: borrowing CellPlane, luma: borrowing CellPlane, to likelihood: borrowing CellPlane
    ) {
        for y in 0..<likelihood.height {
            let (u, v, luma, output) = (u.row(y), v.row(y), luma.row(y), likelihood.row(y))
            for vector in 0..<likelihood.vectorCount {
                let x = 16 * vector
                output[bytes: x] = bytes(u: u[bytes: x], v: v[bytes: x], luma: luma[bytes: x])
            }
        }
    }

    @inline(__always)
    private static func bytes(u: Bytes, v: Bytes, luma: Bytes) -> Bytes {
        let warmth = v.less(u)
        let notGrey = warmth.less(Bytes(repeating: 4))
        let notGarish = Bytes(repeating: 76).less(warmth)
        let yellow = Bytes(repeating: 129).less(u)
        // There are no byte shifts: word shifts bring in bits of the neighbor, which are masked out.
        let notYellow = v.less(Bytes(repeating: 126)).less((yellow &>> 2) &+ (yellow &>> 3))
        let red = v.less(Bytes(repeating: 129))
        let notPink = Bytes(repeating: 132).less(u).less(red &>> 2)
        let notBlack = luma.less(Bytes(repeating: 30))
        // Doubling keeps the order, so the doublings that all ramps share are applied once, to the minimum.
        let isWedge = notYellow.smaller(notPink).twice.twice
        return isWedge.smaller(notGrey.twice).smaller(notGarish).smaller(notBlack).twice.twice.twice.twice
    }

    static func reference(u: UInt8, v: UInt8, luma: UInt8) -> UInt8 {
        // a + b from 4 to 12: swatch 1 is at 10, swatch 9 at 9, gray at 0.
        let warmth = v.less(u)
        let notGrey = warmth.less(4).doubled(5)
        // a + b from 76 down to 60: orange cloth, ripe fruit.
        let notGarish = UInt8(76).less(warmth).doubled(4)
        // a - 3/8 b from -3 to 1.
        let yellow = UInt8(129).less(u)
        let notYellow = v.less(126).less((yellow >> 2) + (yellow >> 3)).doubled(6)
        // b - a/4 from -3 to 1.
        let notPink = UInt8(132).less(u).less(v.less(129) >> 2).doubled(6)
        // Luma from 30 to 46: darker cells have hardly any color.
        let notBlack = luma.less(30).doubled(4)
        return min(notGrey, notGarish, notYellow, notPink, notBlack)
    }
}

/// Limits how likely blocks above a face are skin by color to how likely they are by texture too. Fair hair has the
/// color of its face, but above the brows skin has hardly any texture.
enum HairKernel {
    /// Runs the kernel on what is above and beside a forehead.
    ///
    /// - Parameters:
    ///   - likelihood: the likelihood by color, which is changed.
    ///   - textured: the same by color and texture.
    ///   - face: the face, in blocks.
    static func run(_ likelihood: borrowing CellPlane, textured: borrowing CellPlane, above face: FaceRegion) {
        let columns = face.x - face.side / 4..<face.x + face.side + face.side / 4
        let rows = face.y - face.side * 6 / 10..<face.y + face.side / 8
        let area = CellArea(columns: columns, rows: rows, of: likelihood)
        for y in area.rows {
            let spared = Bytes(repeating: spared(y, face))
            let (likelihood, textured) = (likelihood.row(y), textured.row(y))
            for vector in area.vectors {
                let x = 16 &* vector
                likelihood[bytes: x] = likelihood[bytes: x].smaller(textured[bytes: x].greater(spared))
            }
        }
    }

    /// The share that texture cannot remove: none in hair, all in the forehead.
    private static func spared(_ y: Int, _ face: FaceRegion) -> UInt8 {
        UInt8(max(0, min(255, (y - face.y + face.side / 5) * 255 * 8 / face.side)))
    }

    /// The same for a block of one of those rows.
    static func reference(likelihood: UInt8, textured: UInt8, y: Int, face: FaceRegion) -> UInt8 {
        min(likelihood, max(textured, spared(y, face)))
    }
}
