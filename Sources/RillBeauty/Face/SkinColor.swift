/// What a face's skin looks like in this light: its chroma, as a direction from gray and a distance, and its luma.
///
/// Light and blood change how far skin is from gray more than in which direction: arms are redder than a face, and its
/// sunlit half is paler. So another color belongs if its direction is about the same, and its distance within 0.55 to 2
/// times.
struct SkinColor: Equatable {
    /// Cr - 128 and 128 - Cb, in 16ths of a code value.
    var red, yellow: Int
    /// The luma that a tenth of the face is darker than, and the one that a twentieth is brighter than.
    var dark, bright: Int

    init(red: Int, yellow: Int, dark: Int, bright: Int) {
        (self.red, self.yellow, self.dark, self.bright) = (red, yellow, dark, bright)
    }

    /// Learns from the middle of a face, which has more skin than eyes, lips and hair: medians.
    ///
    /// - Parameters:
    ///   - face: where it is, in blocks.
    ///   - u, v, luma: the blocks.
    /// - Returns: `nil` if nothing of it is inside the picture, or if no skin has that color in any light.
    init?(
        of face: FaceRegion, u: borrowing CellPlane, v: borrowing CellPlane, luma: borrowing CellPlane
    ) {
        let columns = (face.x + face.side / 4..<face.x + face.side - face.side / 4).clamped(to: 0..<luma.width)
        let rows = (face.y + face.side / 10..<face.y + face.side).clamped(to: 0..<luma.height)
        guard !columns.isEmpty, !rows.isEmpty else { return nil }
        red = 16 * (Quantiles(v, columns, rows).value(128) - 128)
        yellow = 16 * (128 - Quantiles(u, columns, rows).value(128))
        let light = Quantiles(luma, columns, rows)
        (dark, bright) = (light.value(26), light.value(243))
        guard red >= -32, yellow >= -96, red + yellow >= 48 else { return nil }
    }

    /// Moves an eighth of the way to another color, so that changes of light do not show as steps.
    mutating func approach(_ other: SkinColor) {
        func step(_ value: Int, _ other: Int) -> Int { value + (other - value + (other > value ? 7 : -7)) / 8 }
        red = step(red, other.red)
        yellow = step(yellow, other.yellow)
        dark = step(dark, other.dark)
        bright = step(bright, other.bright)
    }
}

/// How often each value occurs in part of a plane.
private struct Quantiles {
    private var counts = InlineArray<256, Int32>(repeating: 0)
    private var total = 0

    init(_ plane: borrowing CellPlane, _ columns: Range<Int>, _ rows: Range<Int>) {
        for y in rows {
            let row = plane.row(y)
            for x in columns { counts[Int(row[x])] += 1 }
        }
        total = columns.count * rows.count
    }

    /// The value that `share` 256ths are not above.
    func value(_ share: Int) -> Int {
        var left = total * share / 256
        for value in 0..<255 {
            left -= Int(counts[value])
            if left < 0 { return value }
        }
        return 255
    }
}
