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
