/// Where gray lies in this light: how much Cr - 128 and 128 - Cb a neutral surface has for each code value of its luma
/// above black.
///
/// Light and white balance multiply red, green and blue. So does shade, and so the chroma of a neutral surface is in
/// proportion to its luma.
struct LightGray: Equatable {
    /// In 4096ths.
    var red = 0, yellow = 0

    /// How much redder and more yellow together a color is than gray, in half code values.
    func warmth(_ u: UInt8, _ v: UInt8, _ luma: UInt8) -> UInt8 {
        UInt8(clamping: 2 * (Int(v) - Int(u)) - (red + yellow) * (Int(luma) - 16) / 2048)
    }

    /// Looks for gray beside and above a face, in up to some thousands of blocks.
    ///
    /// Walls are most of what is there, and many are about gray. Of the colors that are there often, the one counts
    /// that is plausible in two ways: near the grays of black bodies, and as far from the face's skin as skin is from
    /// gray.
    ///
    /// - Parameters:
    ///   - face: where the face is, in blocks.
    ///   - skin: its color, as if it were a gray.
    ///   - u, v, luma: the blocks.
    /// - Returns: `nil` if there is no such color.
    static func beside(
        _ face: FaceRegion, skin: LightGray, u: borrowing CellPlane, v: borrowing CellPlane, luma: borrowing CellPlane
    ) -> LightGray? {
        var votes = GrayVotes()
        let step = 1 + luma.height / 64
        let columns = face.x - face.side / 2..<face.x + face.side + face.side / 2
        let top = face.y - face.side * 6 / 10
        for y in stride(from: 0, to: min(luma.height, face.y + face.side), by: step) {
            let (u, v, light) = (u.row(y), v.row(y), luma.row(y))
            for x in stride(from: 0, to: luma.width, by: step) where y < top || !columns.contains(x) {
                votes.add(u[x], v[x], light[x])
            }
        }
        return votes.gray(skin: skin)
    }

    /// How plausible it is as the gray of a picture with that skin, from 0 to 1.
    fileprivate func plausibility(_ skin: LightGray) -> Double {
        // A black body of 5000 or 8000 K instead of 6500 K moves gray by about 0.09, four parts of yellow to three of
        // red.
        let warmth = (0.6 * Double(red) + 0.8 * Double(yellow)) / 4096
        let tint = (0.8 * Double(red) - 0.6 * Double(yellow)) / 4096
        // On three clips in seven lights, skin was 0.16 redder and 0.10 more yellow than gray.
        let (offRed, offYellow) = (Double(skin.red - red) / 4096, Double(skin.yellow - yellow) / 4096)
        let distance = 0.85 * offRed + 0.53 * offYellow
        let turned = 0.53 * offRed - 0.85 * offYellow
        guard distance > 0.02 else { return 0 }
        func square(_ value: Double) -> Double { value * value }
        let ofLight = 1 / (1 + square(warmth / 0.1) + square(tint / 0.06))
        let ofSkin = 1 / (1 + square((distance - 0.18) / 0.1) + square(turned / 0.06))
        return ofLight * ofSkin * min(1, (distance - 0.02) / 0.03)
    }
}

/// How often each color occurs, as if it were a gray.
private struct GrayVotes {
    /// The votes for about the same color.
    private struct Bin {
        var count: Int32 = 0
        /// Sums, in 4096ths.
        var red: Int32 = 0
        var yellow: Int32 = 0

        static func += (sum: inout Bin, other: Bin) {
            sum.count += other.count
            sum.red += other.red
            sum.yellow += other.yellow
        }
    }

    /// Rows of yellow, columns of red: -0.25 to 0.25 of each, in steps of a 64th.
    private var bins = InlineArray<1024, Bin>(repeating: Bin())
    private var count = 0

    private static let side = 32
    /// Fewer votes are not significant.
    private static let fewest = 32
    private static let leastPlausibility = 0.12

    mutating func add(_ u: UInt8, _ v: UInt8, _ luma: UInt8) {
        // Dark blocks have hardly any color, and bright ones are clipped.
        guard luma >= 60, luma < 230 else { return }
        count += 1
        let light = Int(luma) - 16
        let (red, yellow) = ((Int(v) - 128) * 4096 / light, (128 - Int(u)) * 4096 / light)
        let (column, row) = ((red + 32) >> 6 + Self.side / 2, (yellow + 32) >> 6 + Self.side / 2)
        guard (0..<Self.side).contains(column), (0..<Self.side).contains(row) else { return }
        bins[row * Self.side + column] += Bin(count: 1, red: Int32(red), yellow: Int32(yellow))
    }

    /// The mean of the likeliest color and those around it: of those that have a sixteenth of the votes.
    func gray(skin: LightGray) -> LightGray? {
        // A subscript of an inline array copies all of it.
        let bins = bins.span
        var best: (gray: LightGray, score: Double)?
        for row in 1..<Self.side - 1 {
            for column in 1..<Self.side - 1 where bins[row * Self.side + column].count > 0 {
                let near = Self.sum(bins, row, column)
                guard near.count >= Self.fewest, Int(near.count) * 16 > count else { continue }
                let gray = LightGray(red: Int(near.red / near.count), yellow: Int(near.yellow / near.count))
                let plausibility = gray.plausibility(skin)
                // A lawn is not gray in any light.
                guard plausibility >= Self.leastPlausibility else { continue }
                let score = Double(near.count) * plausibility
                if score > best?.score ?? 0 { best = (gray, score) }
            }
        }
        return best?.gray
    }

    private static func sum(_ bins: Span<Bin>, _ row: Int, _ column: Int) -> Bin {
        var sum = Bin()
        for y in row - 1...row + 1 { for x in column - 1...column + 1 { sum += bins[y * side + x] } }
        return sum
    }
}
