/// How much of a cell is smooth skin: skin, without edges.
///
/// An edge is where the deviations of nine cells add up: the rim of a nostril, a lash, the line of the jaw, the lips. An
/// eighth of the light over nine cells is 1.4 % of it in each.
enum FlatnessKernel {
    /// - Parameters:
    ///   - skin: by colour and texture, of this frame, of each block, with rows continued by a sample on both sides; enlarged,
    ///     it is limited by the mask, which is steady in time.
    ///   - edges: the sum of the deviations of the nine cells around each.
    ///   - spans: of the mask.
    ///   - limits: what edges may come to.
    ///   - flatness: began with zeros, and was the target of the spans before.
    static func run(
        skin: borrowing CellPlane, mask: borrowing CellPlane, luma: borrowing CellPlane, edges: borrowing CellPlane,
        spans: MaskSpans, limits: LightLimits, to flatness: borrowing CellPlane
    ) {
        for y in 0..<mask.height {
            let skin = EnlargingKernel.rows(of: skin, y)
            let rows = CellRows(mask: mask.row(y), luma: luma.row(y), edges: edges.row(y), flatness: flatness.row(y))
            let span = spans.touched(y)
            // Each vector of blocks is two of cells; the padding takes one more than there are.
            var x = span.lowerBound / 2 &* 32
            while x < 16 &* span.upperBound {
                let (left, right) = EnlargingKernel.bytes(skin, x / 2)
                fill(rows, x, left, limits)
                fill(rows, x &+ 16, right, limits)
                x &+= 32
            }
        }
    }

    private struct CellRows {
        var mask, luma, edges, flatness: Row
    }

    @inline(__always)
    private static func fill(_ rows: CellRows, _ x: Int, _ skin: Bytes, _ limits: LightLimits) {
        let weight = skin.smaller(rows.mask[bytes: x])
        guard !weight.isZero else { return rows.flatness[bytes: x] = .zero }
        let room = limits.bytes(luma: rows.luma[bytes: x]).less(rows.edges[bytes: x])
        rows.flatness[bytes: x] = weight.smaller(room.twice.twice.twice.twice)
    }

    static func reference(skin: UInt8, mask: UInt8, luma: UInt8, edges: UInt8, limits: LightLimits) -> UInt8 {
        min(skin, mask, limits.byte(luma: luma).less(edges).doubled(4))
    }
}
