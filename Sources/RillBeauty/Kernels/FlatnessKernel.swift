/// Computes how much of each cell is smooth skin: skin without edges.
///
/// An edge is where the deviations of nine cells add up: the rim of a nostril, a lash, the jaw line, the lips. An
/// eighth of the luma over nine cells is 1.4 % of it in each.
enum FlatnessKernel {
    /// Computes the flatness of each cell.
    ///
    /// - Parameters:
    ///   - skin: skin by color and texture of this frame, per block, with rows extended by one sample on both sides. It
    ///     has been limited by the mask.
    ///   - mask: the mask per cell. Where it is 0, nothing is smooth skin.
    ///   - luma: the luma of each cell.
    ///   - edges: the sum of the deviations of the nine cells around each cell.
    ///   - spans: the spans of the mask.
    ///   - limits: the maximum sum for smooth skin.
    ///   - flatness: the plane to write. It must have started with zeros, and have been the target of the previous
    ///     spans.
    static func run(
        skin: borrowing CellPlane, mask: borrowing CellPlane, luma: borrowing CellPlane, edges: borrowing CellPlane,
        spans: MaskSpans, limits: LumaLimits, to flatness: borrowing CellPlane
    ) {
        for y in 0..<mask.height {
            let skin = EnlargingKernel.rows(of: skin, y)
            let rows = CellRows(mask: mask.row(y), luma: luma.row(y), edges: edges.row(y), flatness: flatness.row(y))
            let span = spans.touched(y)
            // Each vector of blocks covers two vectors of cells. The padding has room for one extra.
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
    private static func fill(_ rows: CellRows, _ x: Int, _ skin: Bytes, _ limits: LumaLimits) {
        let weight = skin & ~rows.mask[bytes: x].isZeroMask
        guard !weight.isZero else { return rows.flatness[bytes: x] = .zero }
        let room = limits.bytes(luma: rows.luma[bytes: x]).less(rows.edges[bytes: x])
        rows.flatness[bytes: x] = weight.smaller(room.twice.twice.twice.twice)
    }

    static func reference(skin: UInt8, mask: UInt8, luma: UInt8, edges: UInt8, limits: LumaLimits) -> UInt8 {
        mask == 0 ? 0 : min(skin, limits.byte(luma: luma).less(edges).doubled(4))
    }
}
